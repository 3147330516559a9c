// The load of nodes and the room of storages that a host does not tell: never taken for nothing in use, nor for nothing free.
import assert from "node:assert/strict";
import { connectAs } from "../jobs/migration/connectedAs.js";
import { Site, type ConnectedHost } from "./support/site.js";

const EVERYTHING = { path: "/", privileges: ["VM.Audit", "Sys.Audit", "Datastore.Audit", "Sys.Modify"] };
/** What is granted on a path replaces what is granted above it. */
const NO_FIGURES = { path: "/nodes/pvea", privileges: ["Sys.Console"] };

describe("the load of a node", () => {
  let site: Site;
  let pve: ConnectedHost;
  before(async () => {
    site = await Site.open();
    pve = await site.connect();
    await pve.control.post("/guests", { type: "qemu", vmid: 100, node: "pvea", name: "web1", status: "running" });
  });
  after(() => site.close());

  const nodeOf = () =>
    site.row<{ known: boolean; cores: number; memory: number }>(
      `select load_known as known, cpu_cores as cores, memory_mb as memory from node where name = 'pvea'`,
    );
  const samples = async () => (await site.row<{ count: number }>("select count(*)::int from node_sample"))?.count;

  it("is on record where the host reports it", async () => {
    await pve.sync();
    const node = await nodeOf();
    assert.equal(node?.known, true);
    assert.ok(node.cores > 0 && node.memory > 0);
    assert.ok(Number(await samples()) > 0);
  });

  it("is unknown to a connection that may not see it: it is no sample, and the node keeps its size", async () => {
    const before = [await nodeOf(), await samples()] as const;
    await connectAs(site, { host: pve.host, hostId: pve.id }, [EVERYTHING, NO_FIGURES]);
    site.clock.shift(90);
    await pve.sync();
    assert.deepEqual(await nodeOf(), { ...before[0], known: false });
    assert.equal(await samples(), before[1]);
  });

  it("is known again once the host reports it", async () => {
    await connectAs(site, { host: pve.host, hostId: pve.id }, [EVERYTHING]);
    site.clock.shift(90);
    await pve.sync();
    assert.equal((await nodeOf())?.known, true);
  });
});
