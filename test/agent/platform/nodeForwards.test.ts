// Port forwards on a real kernel: in a network namespace, with traffic through them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withTemporaryFile } from "../../../agent/files.js";
import { vetForwards, type Vetted } from "../../../agent/forwardRules.js";
import { runCommand } from "../../../agent/platform/command.js";
import { NodeForwards } from "../../../agent/platform/nodeForwards.js";
import { forwardsRuleset } from "../../../agent/platform/nftRuleset.js";
import type { PortForward } from "../../../agent/platform/platform.js";
import type { Network } from "./networkNamespaces.js";
import { createNetwork, networkProblem } from "./networkNamespaces.js";

const UNWANTED = 6666;

const vet = (added: readonly PortForward[]): Promise<Vetted> =>
  Promise.resolve(vetForwards(added, ({ publicPort }) => (publicPort === UNWANTED ? "not wanted" : null)));

describe("agent port forwards in a network namespace", () => {
  let network: Network;
  let stateDirectory: string;
  let forwards: NodeForwards;

  before(async function () {
    const problem = networkProblem();
    if (problem !== null) {
      process.stdout.write(`    skipped: ${problem}\n`);
      this.skip();
    }
    network = createNetwork();
    stateDirectory = await mkdtemp(join(tmpdir(), "drover-forwards-"));
  });
  after(async () => {
    if (network === undefined) return;
    network.remove();
    await rm(stateDirectory, { recursive: true });
  });
  beforeEach(() => {
    forwards = createForwards();
  });

  function createForwards(): NodeForwards {
    const { publicAddress } = network;
    return new NodeForwards({ stateDirectory, publicAddress, run: runCommand, nft: network.onNode("nft"), vet });
  }

  function forward(publicPort: number, more: Partial<PortForward> = {}): PortForward {
    const { guestAddress, guestPort } = network;
    return { id: String(publicPort), protocol: "tcp", publicPort, guestAddress, guestPort, ...more };
  }

  function nft(...line: string[]): string {
    const [program, ...rest] = network.onNode("nft", ...line);
    return execFileSync(program, rest, { encoding: "utf8" });
  }

  it("lets the client reach the guest, and only through the forwarded port", async () => {
    assert.equal(network.connect(2222), "refused");
    await forwards.apply([forward(2222)]);
    assert.equal(network.connect(2222), "hello from the guest");
    assert.equal(network.connect(2223), "refused");
  });

  it("lets the client reach the guest by the public address when that is the node's own", async () => {
    await withTemporaryFile(forwardsRuleset([forward(2222)], network.publicAddress), (path) =>
      runCommand({ line: network.onNode("nft", "-f", path), timeoutMs: 5000 }),
    );
    assert.match(nft("list", "table", "inet", "drover"), /ip daddr 203\.0\.113\.4 tcp dport 2222/);
    assert.equal(network.connect(2222), "hello from the guest");
  });

  it("replaces the set, and the same set again changes nothing", async () => {
    await forwards.apply([forward(2222), forward(5353, { protocol: "udp" })]);
    const once = nft("list", "table", "inet", "drover");
    await forwards.apply([forward(2222), forward(5353, { protocol: "udp" })]);
    assert.equal(nft("list", "table", "inet", "drover"), once);
    await forwards.apply([forward(2223)]);
    assert.equal(network.connect(2222), "refused");
    assert.equal(network.connect(2223), "hello from the guest");
  });

  it("takes IPv6 beside IPv4, and a thousand forwards", async () => {
    const six = forward(80, { guestAddress: "fd00::7" });
    const many = Array.from({ length: 1000 }, (_, index) => forward(10_000 + index));
    await forwards.apply([six, ...many]);
    assert.equal(network.connect(10_999), "hello from the guest");
    assert.match(nft("list", "table", "inet", "drover"), /dnat ip6 to \[fd00::7\]:2022/);
  });

  it("changes nothing of a set that the kernel refuses", async () => {
    await forwards.apply([forward(2222)]);
    await assert.rejects(forwards.apply([forward(2223), forward(2224, { guestAddress: "999.1.1.1" })]), /nft -f /);
    assert.equal(network.connect(2222), "hello from the guest");
    assert.equal(network.connect(2223), "refused");
  });

  it("closes what is not in a set of which it takes a part only", async () => {
    await forwards.apply([forward(2222)]);
    await assert.rejects(forwards.apply([forward(2223), forward(UNWANTED)]), /^Error: not wanted \(the other/);
    assert.equal(network.connect(2222), "refused");
    assert.equal(network.connect(2223), "hello from the guest");
    assert.equal(network.connect(UNWANTED), "refused");
  });

  it("applies sets given at the same time in their order", async () => {
    await Promise.all([forwards.apply([forward(2222)]), forwards.apply([]), forwards.apply([forward(2223)])]);
    assert.equal(network.connect(2222), "refused");
    assert.equal(network.connect(2223), "hello from the guest");
  });

  it("comes back after a boot, from another process's file", async () => {
    await forwards.apply([forward(2222)]);
    nft("flush", "ruleset");
    assert.equal(network.connect(2222), "refused");
    await createForwards().restore();
    assert.equal(network.connect(2222), "hello from the guest");
  });

  it("leaves other tables alone and nothing of its own behind", async () => {
    nft("add", "table", "inet", "operator");
    await forwards.apply([forward(2222)]);
    await forwards.apply([]);
    assert.equal(nft("list", "tables"), "table inet operator\n");
    await forwards.restore();
    await forwards.apply([]);
    assert.equal(nft("list", "tables"), "table inet operator\n");
  });
});
