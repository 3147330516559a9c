// What the inventory keeps of a node's packages and its architecture, and how rarely it asks.
import assert from "node:assert/strict";
import { Site, type ConnectedHost } from "./support/site.js";

const HOURS = 3600;

describe("what a sync keeps of a node's packages", () => {
  let site: Site;
  let pve: ConnectedHost;
  beforeEach(async () => {
    site = await Site.open();
    pve = await site.connect({ name: "lab", release: "9.2" });
    await pve.sync();
  });
  afterEach(() => site.close());

  const known = () =>
    site.row<Record<string, string | null>>(
      `select version, qemu_server as qemu, pve_container as containers, architecture from node`,
    );
  const changeNode = (change: object) => pve.control.post("/nodes/lab", change);
  const questions = async (): Promise<number> =>
    JSON.stringify(await pve.control.get("/requests")).split("/apt/versions").length - 1;
  /** @returns how often the node was asked meanwhile */
  async function asked(work: () => Promise<unknown>): Promise<number> {
    const before = await questions();
    await work();
    return (await questions()) - before;
  }
  const syncAfter = (seconds: number): Promise<void> => {
    site.clock.shift(seconds);
    return pve.sync();
  };

  it("is known after the first sync, by node", async () => {
    const node = { version: "9.2.11", qemu: "9.2.6", containers: "6.1.10", architecture: "amd64" };
    assert.deepEqual(await known(), node);
  });

  it("is asked for every six hours, after an upgrade, and by a sync on request", async () => {
    assert.equal(await asked(() => syncAfter(1 * HOURS)), 0);
    await changeNode({ packages: { "qemu-server": "9.2.7" } });
    assert.equal(await asked(() => syncAfter(4 * HOURS)), 0);
    assert.equal(await asked(() => syncAfter(1.5 * HOURS)), 1);
    assert.equal((await known())?.["qemu"], "9.2.7");
    await changeNode({ version: "9.3.1", packages: {} });
    assert.equal(await asked(() => syncAfter(601)), 1);
    assert.deepEqual(await known(), { version: "9.3.1", qemu: "9.3.0", containers: "6.2.0", architecture: "amd64" });
    assert.equal(await asked(() => syncAfter(601)), 0);
    assert.equal(await asked(() => pve.sync({ thorough: true })), 1);
  });

  it("stays while the node fails to report it, and goes when the node was upgraded meanwhile", async () => {
    const failing = { path: "/apt/versions", effect: "status", status: 500, message: "unable to open package cache" };
    const before = await known();
    await pve.control.post("/faults", failing);
    await pve.sync({ thorough: true });
    assert.deepEqual(await known(), before);
    await changeNode({ version: "9.3.1" });
    await syncAfter(601);
    assert.deepEqual(await known(), { version: "9.3.1", qemu: null, containers: null, architecture: "amd64" });
    await pve.control.delete("/faults");
    await syncAfter(601);
    assert.equal((await known())?.["qemu"], "9.3.0");
  });

  it("is unknown without the right to see it, and is not asked for again at once", async () => {
    const path = "/apt/versions";
    await pve.control.post("/faults", { path, effect: "status", status: 403, message: "Permission check failed" });
    await pve.sync({ thorough: true });
    const nothing = { version: "9.2.11", qemu: null, containers: null, architecture: null };
    assert.deepEqual(await known(), nothing);
    assert.equal(await asked(() => syncAfter(601)), 0);
  });
});
