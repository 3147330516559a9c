// Moves between hosts of different versions and architectures: what the platform would refuse in its task, the plan says before.
import assert from "node:assert/strict";
import { evacuationCandidates } from "../../../src/actions/run/evacuationCandidates.js";
import { syncHost } from "../../../src/inventory/syncHost.js";
import { contextFor } from "../../support/viewers.js";
import {
  beat,
  guestOn,
  leftovers,
  migrationRow,
  moveInput,
  NOTHING_LEFT,
  openMoveStage,
  placeAndSync,
  plan,
  queueMove,
  run,
  type MoveStage,
  type Side,
} from "./stage.js";

describe("jobs/migration between versions", function () {
  this.timeout(300_000);
  let stage: MoveStage;
  let vmid = 700;
  before(async () => {
    stage = await openMoveStage();
  });
  after(() => stage.close());
  beforeEach(async () => {
    stage.source.host.platform.state.guests.clear();
    for (const side of ["source", "target"] as const)
      await change(side, { version: "9.2.11", packages: {}, architecture: "amd64" });
  });

  /** @param change of the side's node, which the inventory then reads */
  async function change(side: "source" | "target", facts: object, how = { thorough: true }): Promise<void> {
    const { host, hostId, node }: Side = stage[side];
    Object.assign(host.platform.state.nodes.get(node) ?? assert.fail("there is such a node"), facts);
    await syncHost(stage.services, hostId, how);
  }

  const place = (type: "qemu" | "lxc", status: "running" | "stopped") =>
    placeAndSync(stage, { type, vmid: ++vmid, status });

  const found = async (guestId: number) => {
    const { problems, warnings } = await plan(stage, moveInput(stage, guestId));
    return [...problems, ...warnings].map(({ code }) => code);
  };

  const kinds = [
    ["qemu", "running"],
    ["qemu", "stopped"],
    ["lxc", "running"],
    ["lxc", "stopped"],
  ] as const;

  for (const [type, status] of kinds)
    it(`blocks a move from 9.3 to 9.2, and allows the way there: ${type}, ${status}`, async () => {
      await change("target", { version: "9.3.1" });
      const guestId = await place(type, status);
      assert.deepEqual(await found(guestId), []);
      await change("target", { version: "9.2.11" });
      await change("source", { version: "9.3.1" });
      const { problems, startable } = await plan(stage, moveInput(stage, guestId));
      const ofPackages =
        type === "qemu" ? ["qemu-server 9.3.0", "qemu-server 9.2.6"] : ["pve-container 6.2.0", "pve-container 6.1.10"];
      assert.deepEqual(
        problems.map(({ code, message }) => [code, message]),
        [
          [
            "TARGET_TUNNEL_OLDER",
            `pvea runs ${ofPackages[0]} (Proxmox VE 9.3.1), pveb ${ofPackages[1]} (Proxmox VE 9.2.11): the newer version sends ` +
              "the older one no guest, running or stopped; upgrade pveb first",
          ],
        ],
      );
      assert.equal(startable, false);
      await assert.rejects(queueMove(stage, guestId), { reason: "TARGET_TUNNEL_OLDER" });
    });

  it("judges by the platform's version alone, where packages are not reported", async () => {
    const guestId = await place("lxc", "stopped");
    await stage.services.pool.query("update node set qemu_server = null, pve_container = null");
    assert.deepEqual(await found(guestId), []);
    Object.assign(stage.source.host.platform.state.nodes.get("pvea") ?? {}, { version: "9.3.1" });
    assert.deepEqual(await found(guestId), ["TARGET_TUNNEL_OLDER"]);
  });

  it("believes no packages that were read before the node was upgraded", async () => {
    await change("source", { version: "9.3.1", packages: { "qemu-server": "9.2.7" } });
    const guestId = await place("qemu", "stopped");
    assert.deepEqual(await found(guestId), []);
    Object.assign(stage.source.host.platform.state.nodes.get("pvea") ?? {}, { version: "9.3.2" });
    assert.deepEqual(await found(guestId), ["TARGET_TUNNEL_OLDER"]);
  });

  for (const type of ["qemu", "lxc"] as const)
    it(`undoes a move that the platform refuses because its packages are newer than known: ${type}`, async () => {
      const guestId = await place(type, "running");
      const packages = { "qemu-server": "9.3.0", "pve-container": "6.2.0" };
      Object.assign(stage.source.host.platform.state.nodes.get("pvea") ?? {}, { packages });
      const { migrationId, jobId } = await queueMove(stage, guestId);
      await run(stage, jobId);
      const { status, error } = await migrationRow(stage, migrationId);
      assert.equal(status, "failed");
      assert.match(String(error), /Remote tunnel endpoint too old, upgrade required/);
      const original = guestOn(stage.source, vmid);
      assert.deepEqual([original?.config.lock, original?.runtime === null], [undefined, false], "it runs as before");
      assert.deepEqual([...stage.target.host.platform.state.guests.keys()], [], "nothing is left on the target");
      assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
    });

  it("blocks guests that run from going to another architecture, and warns of those that are stopped", async () => {
    await change("target", { architecture: "arm64" });
    const expected = { running: ["ARCHITECTURE_DIFFERS"], stopped: ["STOPPED_ARCHITECTURE_DIFFERS"] };
    for (const [type, status] of kinds) assert.deepEqual(await found(await place(type, status)), expected[status]);
  });

  it("offers no target to an evacuation that takes no guest, and reports why", async () => {
    await change("source", { version: "9.3.1" });
    const guestIds = [await place("qemu", "running"), await place("lxc", "stopped")];
    await beat(stage);
    const context = await contextFor(stage.services);
    const candidates = await evacuationCandidates(context, { hostId: stage.source.hostId });
    assert.deepEqual(
      candidates.map(({ guestId, startable }) => [guestId, startable]),
      guestIds.map((id) => [id, false]),
    );
    for (const { problems } of candidates) assert.match(problems[0]?.message ?? "", /pveb: its version is too old/);
    await change("target", { version: "9.3.1" });
    await beat(stage);
    const again = await evacuationCandidates(context, { hostId: stage.source.hostId });
    assert.deepEqual(
      again.map(({ startable }) => startable),
      [true, true],
    );
  });
});
