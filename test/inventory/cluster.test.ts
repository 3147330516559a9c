// Guests and nodes of a cluster: guests that move, nodes that go down, come back, or leave.
import assert from "node:assert/strict";
import { Site, type ConnectedHost } from "./support/site.js";

describe("a sync of a cluster", () => {
  let site: Site;
  let pve: ConnectedHost;
  beforeEach(async () => {
    site = await Site.open();
    pve = await site.connect({ name: "lab", nodes: ["pve1", "pve2", "pve3"] });
    await pve.control.post("/guests", { type: "qemu", vmid: 100, node: "pve2", name: "web1", status: "running" });
    await pve.control.post("/guests", { type: "qemu", vmid: 101, node: "pve1", name: "db1", status: "running" });
    await pve.control.post("/guests", { type: "qemu", vmid: 102, node: "pve2", name: "tpl", config: { template: 1 } });
    await pve.sync();
  });
  afterEach(() => site.close());

  const guest = (vmid: number) =>
    site.row<Record<string, unknown>>(
      `select g.id, n.name as node, g.status, g.template, g.cpu_usage is null as idle, g.unseen_since as unseen
       from guest g join node n on n.id = g.node_id where g.vmid = $1`,
      vmid,
    );
  const nodes = () => site.rows("select name, status from node order by name");
  /** Storages of pve2 that can be used. */
  const usable = async () =>
    (
      await site.rows<{ name: string }>(
        "select s.name from storage s join node n on n.id = s.node_id where n.name = 'pve2' and s.active",
      )
    ).map(({ name }) => name);

  it("records the cluster and its nodes", async () => {
    assert.deepEqual(await site.row("select kind, cluster_name from host"), { kind: "cluster", cluster_name: "lab" });
    assert.deepEqual(
      await nodes(),
      ["pve1", "pve2", "pve3"].map((name) => ({ name, status: "online" })),
    );
    assert.deepEqual(await site.row("select count(*) as storages from storage"), { storages: 3 });
  });

  it("reads the details of its nodes by turns, of those all that wait too long", async () => {
    const read = async (seconds: number) => {
      site.clock.shift(seconds);
      await pve.sync();
      const names = await site.rows<{ name: string }>(
        "select n.name from node n join host h on h.id = n.host_id where n.details_read_at = h.last_sync_at order by n.name",
      );
      return names.map(({ name }) => name);
    };
    assert.deepEqual(await read(200), []);
    const turns = [await read(101), await read(1), await read(1)];
    assert.deepEqual(turns.flat().toSorted(), ["pve1", "pve2", "pve3"]);
    assert.ok(turns.every((names) => names.length === 1));
    assert.deepEqual(await read(1), []);
    await pve.control.post("/nodes/pve2", { online: false });
    assert.deepEqual(await read(601), ["pve1", "pve3"]);
    const others = [await read(301), await read(1)];
    assert.deepEqual(others.flat().toSorted(), ["pve1", "pve3"], "a node that is away takes no turn");
  });

  it("follows a guest to another node as the same guest", async () => {
    const before = await guest(100);
    const moved = pve.host.platform.state.guests.get(100);
    Object.assign(moved ?? {}, { node: "pve3" });
    await pve.sync();
    assert.deepEqual(await guest(100), { ...before, node: "pve3" });
  });

  it("marks a node that is down, and its guests as of unknown state, since the first sync that saw it", async () => {
    const template = await guest(102);
    await pve.control.post("/nodes/pve2", { online: false });
    await pve.sync();
    assert.deepEqual(await nodes(), [
      { name: "pve1", status: "online" },
      { name: "pve2", status: "offline" },
      { name: "pve3", status: "online" },
    ]);
    assert.deepEqual(await usable(), []);
    const lost = await guest(100);
    assert.deepEqual(
      { ...lost, unseen: 0 },
      { id: 1, node: "pve2", status: "unknown", template: false, idle: true, unseen: 0 },
    );
    assert.ok(lost?.["unseen"] instanceof Date);
    site.clock.shift(30);
    await pve.sync();
    assert.deepEqual(await guest(100), lost, "it is not seen anew at every sync");
    assert.equal((await guest(101))?.["status"], "running");
    assert.equal((await guest(102))?.["template"], true, "what cannot be seen is not forgotten");

    await pve.control.post("/nodes/pve2", { online: true });
    await pve.sync();
    assert.deepEqual(await guest(102), template);
    assert.equal((await guest(100))?.["unseen"], null);
    assert.deepEqual(await usable(), ["local"]);
  });

  it("keeps a node that left while a guest is on it, then forgets it with the templates there", async () => {
    const { nodes: members, guests } = pve.host.platform.state;
    await site.rows(
      `insert into os_template (host_id, node_id, vmid, name) select host_id, node_id, vmid, name from guest where vmid = 102`,
    );
    members.delete("pve2");
    await pve.sync();
    assert.deepEqual((await nodes())[1], { name: "pve2", status: "unknown" });
    assert.deepEqual(await usable(), [], "what it had cannot be used");
    guests.delete(100);
    await pve.sync();
    await pve.sync();
    assert.equal((await nodes()).length, 3, "a guest is on it");
    assert.equal((await site.rows("select from os_template")).length, 1);
    guests.delete(102);
    await pve.sync();
    await pve.sync();
    assert.deepEqual(
      await nodes(),
      ["pve1", "pve3"].map((name) => ({ name, status: "online" })),
    );
    assert.deepEqual(await site.rows("select from os_template"), []);
  });

  it("recognizes a guest that comes back on another node when its own has left", async () => {
    const { nodes: members, guests } = pve.host.platform.state;
    const [left, before] = [guests.get(100), await guest(100)];
    assert.ok(left !== undefined);
    members.delete("pve2");
    guests.delete(100);
    guests.delete(102);
    await pve.sync();
    await pve.sync();
    assert.equal((await nodes()).length, 2);
    guests.set(100, { ...left, node: "pve1" });
    await pve.sync();
    assert.deepEqual(await guest(100), { ...before, node: "pve1" });
  });
});
