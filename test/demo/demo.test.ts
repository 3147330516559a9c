// The demo as somebody new meets it: it comes up furnished, parts of it can be killed and started again alone.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { eventually } from "../support/eventually.js";
import { runProgram } from "../support/programs.js";
import { TestDemo } from "./support.js";

const USUAL_PORT = 4000;
/** A net, not a check. */
const PATIENCE_MS = 600_000;

describe("the demo", function () {
  this.timeout(900_000);
  let demo: TestDemo;

  before(async () => {
    demo = new TestDemo(await mkdtemp(join(tmpdir(), "drover-demo-")));
  });
  after(async () => {
    await demo.endAll();
    await rm(demo.directory, { recursive: true, force: true });
  });

  it("lets a service that is started first wait for the platform, and can end it then", async () => {
    const waiting = demo.run(["--only", "service"]);
    await waiting.printed("The service waits for its platform");
    assert.equal(await waiting.end(), 0);
  });

  it("starts its platform alone, while a service waits for it", async () => {
    await demo.start("service").printed("The service waits for its platform");
    await demo.platformRuns();
    const { hosts, url } = z
      .object({ hosts: z.array(z.object({ name: z.string(), control: z.string() })), url: z.string() })
      .parse(await demo.read());
    assert.deepEqual([hosts.map(({ name }) => name), url], [["amsterdam", "frankfurt", "london"], ""]);
  });

  it("starts the service against that platform, furnished, with credentials that only the user can read", async () => {
    await demo.serviceRuns();
    assert.equal((await stat(join(demo.directory, "demo.json"))).mode & 0o777, 0o600);
    assert.deepEqual(
      (await demo.list("/hosts")).map(({ name }) => name),
      ["amsterdam", "frankfurt", "london"],
    );
    const { scopedToken, scopedHostIds } = await demo.describe();
    assert.deepEqual(
      (await demo.list("/hosts", scopedToken)).map(({ id }) => id),
      scopedHostIds,
    );
  });

  it("is refused a second time in the same directory, with a plain reason, and nothing of it is removed", async () => {
    await demo.serviceRuns();
    for (const words of [[], ["--only", "platform"], ["--only", "service"], ["--fresh"]]) {
      const second = demo.run(words);
      assert.equal(await second.ended, 1);
      assert.match(
        second.output(),
        /demo: another demo runs its (?:platform|service) from .*: end it, or name another/,
      );
    }
    assert.equal((await demo.list("/hosts")).length, 3);
  });

  it("has a current agent on every node", async () => {
    await demo.serviceRuns();
    const { agents } = await demo.describe();
    assert.equal(agents.length, 5);
    for (const { hostId, node } of agents) {
      await eventually(async () => {
        const nodes = await demo.list(`/hosts/${hostId}/nodes`);
        const agent = z.object({ current: z.boolean() }).parse(nodes.find(({ name }) => name === node)?.["agent"]);
        assert.equal(agent.current, true, node);
      }, PATIENCE_MS);
    }
  });

  it("does not take another service for its own", async () => {
    await demo.serviceRuns();
    const { url, pids } = await demo.describe();
    const elsewhere = await mkdtemp(join(tmpdir(), "drover-demo-"));
    const same = { ...demo.environment, DROVER_DATA: elsewhere, PORT: new URL(url).port };
    const other = runProgram("demo/main.js", ["--only", "service"], same);
    assert.equal(await other.ended, 1);
    await rm(elsewhere, { recursive: true, force: true });
    assert.match(other.output(), /demo: port \d+ cannot be used: is it taken\? PORT names another/);
    assert.deepEqual((await demo.describe()).pids, pids);
  });

  it("finds its hosts again when the platform was killed and started again", async () => {
    await demo.serviceRuns();
    const platform = await demo.platformRuns();
    const { pids, hosts } = await demo.describe();
    process.kill(pids.platform, "SIGKILL");
    assert.equal(await platform.ended, 1);
    await demo.platformRuns();
    assert.deepEqual((await demo.describe()).hosts, hosts);
    const [first] = hosts;
    assert.deepEqual(
      await demo.ask(`mutation ($id: Int!) { syncHost(id: $id) { lastSyncError } }`, { id: first?.id }),
      {
        syncHost: { lastSyncError: null },
      },
    );
  });

  it("keeps its data when the service was killed and started again", async () => {
    const service = await demo.serviceRuns();
    const { pids } = await demo.describe();
    process.kill(pids.service, "SIGKILL");
    assert.equal(await service.ended, 1);
    await demo.serviceRuns();
    assert.equal((await demo.list("/hosts")).length, 3);
  });

  it("makes what is missing when it was killed before all was made", async () => {
    await demo.serviceRuns();
    await demo.endService();
    await demo.forgetFurniture();
    await demo.serviceRuns();
    const { agents, scopedToken, scopedHostIds } = await demo.describe();
    assert.equal(agents.length, 5);
    assert.deepEqual(
      (await demo.list("/hosts", scopedToken)).map(({ id }) => id),
      scopedHostIds,
    );
    for (const { id } of await demo.list("/hosts")) {
      assert.equal((await demo.list(`/hosts/${String(id)}/ip-zones`)).length, 1);
      assert.deepEqual(
        (await demo.list(`/hosts/${String(id)}/plans`)).map(({ name }) => name),
        ["Nano", "Small", "Medium", "Large"],
      );
    }
  });

  it("reports the server that the service started when its database was killed", async () => {
    await demo.serviceRuns();
    const { pids } = await demo.describe();
    process.kill(pids.database, "SIGKILL");
    await eventually(async () => assert.notEqual((await demo.describe()).pids.database, pids.database), PATIENCE_MS);
    process.kill((await demo.describe()).pids.database, 0);
    await eventually(async () => assert.equal((await demo.list("/hosts")).length, 3), PATIENCE_MS);
  });

  it("ends with the last words of a service that cannot start", async () => {
    await demo.serviceRuns();
    await demo.endService();
    const failing = demo.run(["--only", "service"], { DROVER_SYNC_SECONDS: "often" });
    assert.equal(await failing.ended, 1);
    assert.match(
      failing.output(),
      /demo: the service ended with exit code 2 \(log: .*service\.log\); its last lines:\n.*\n +DROVER_SYNC_SECONDS: /,
    );
  });

  it("does not wait for the agents of nodes that are off, or whose token was replaced", async () => {
    await demo.serviceRuns();
    const { agents, hosts } = await demo.describe();
    const frankfurt = agents.find(({ node }) => node === "fra1");
    const london = hosts.find(({ name }) => name === "london");
    await switchNode(london?.control, "lon3", false);
    await demo.ask(`mutation ($hostId: Int!) { createAgentToken(hostId: $hostId, node: "fra1") { value } }`, {
      hostId: frankfurt?.hostId,
    });
    await demo.endService();
    // An hour later, what the agents reported before is old.
    const service = demo.start("service", { DROVER_CLOCK_OFFSET_SECONDS: "3600" });
    await demo.serviceRuns();
    assert.match(service.output(), /demo: the agent of lon3 does not report: node lon3 is off/);
    assert.match(service.output(), /demo: the agent of fra1 does not report: .*the service answered 401/);
    assert.doesNotMatch(service.output(), /the agent of (?:ams1|lon1|lon2)/);
    await switchNode(london?.control, "lon3", true);
  });

  it("ends with exit code 0 when it is stopped", async () => {
    const codes = [];
    for (const program of [await demo.serviceRuns(), await demo.platformRuns()]) codes.push(await program.end());
    assert.deepEqual(codes, [0, 0]);
  });

  it("takes its programs along when it is killed itself, and can be started again", async () => {
    await demo.endAll();
    const killed = demo.run();
    await killed.printed("Drover is ready");
    await killed.end("SIGKILL");
    const again = demo.run();
    await again.printed("Drover is ready");
    assert.equal((await demo.list("/hosts")).length, 3);
    assert.equal(await again.end(), 0);
  });

  /** Of a port that somebody else has, nobody knows for how long. */
  const isElsewhere = async (other: Server | null): Promise<void> => {
    await demo.serviceRuns();
    if (other !== null) assert.notEqual(new URL((await demo.describe()).url).port, String(USUAL_PORT));
  };

  it("takes another port when the usual one is taken, before its start or between", async () => {
    await demo.endAll();
    await demo.forgetFurniture();
    const service = demo.start("service", { PORT: "" });
    await service.printed("The service waits for its platform");
    const other = await occupied(USUAL_PORT);
    try {
      await isElsewhere(other);
      await demo.endService();
      demo.start("service", { PORT: "" });
      await isElsewhere(other);
    } finally {
      other?.close();
    }
  });

  it("starts again after the admin's password was changed", async () => {
    await demo.serviceRuns();
    await demo.changePassword("Orchard-gate-41");
    await demo.endService();
    await demo.serviceRuns();
    assert.equal((await demo.list("/hosts")).length, 3);
  });
});

async function switchNode(control: string | undefined, node: string, online: boolean): Promise<void> {
  const answer = await fetch(`${control}/nodes/${node}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ online }),
  });
  assert.equal(answer.ok, true, await answer.text());
}

/** @returns what listens there; null: somebody else does already */
async function occupied(port: number): Promise<Server | null> {
  const server = createServer((socket) => socket.destroy()).listen({ port, host: "127.0.0.1" });
  return once(server, "listening").then(
    () => server,
    () => null,
  );
}
