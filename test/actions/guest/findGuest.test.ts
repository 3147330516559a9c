// Tests what a request reads of its guest: what holds it, whether its host is switched off, the size of its system disk.
import assert from "node:assert/strict";
import { findGuest, type FoundGuest } from "../../../src/actions/guest/findGuest.js";
import { contextOf, tokenViewer } from "../../support/context.js";
import { refusedAs } from "../../support/refusal.js";
import { plant, type Rows } from "../../support/rows.js";
import { createTestServices, type TestServices } from "../../support/services.js";

/** The guest that is asked about is on the second host; guests of its VMID are on the others too. */
const FLEET: Rows = {
  host: [{ active: false }, { name: "beta" }, { name: "gamma", active: false }],
  node: [{}, { host_id: 2, name: "pve2" }, { host_id: 3, name: "pve3" }],
  guest: [
    {},
    { host_id: 2, node_id: 2 },
    { host_id: 2, node_id: 2, vmid: 101, disk_bytes: 30, unsized_disks: [] },
    { host_id: 2, node_id: 2, vmid: 102, disk_bytes: 30, unsized_disks: ["scsi1"] },
    { host_id: 2, node_id: 2, vmid: 103, disk_bytes: 30, unsized_disks: ["scsi1"], system_disk_bytes: 10 },
    { host_id: 2, node_id: 2, vmid: 104, disk_bytes: 30, unsized_disks: null },
    { host_id: 3, node_id: 3 },
  ],
  job: [{ kind: "guest_delete" }],
};

describe("actions/findGuest", () => {
  let services: TestServices;
  beforeEach(async () => {
    services = await createTestServices();
    await plant(services.pool, FLEET);
  });
  afterEach(() => services.close());

  const find = (hostId: number, vmid = 100): Promise<FoundGuest> =>
    findGuest(contextOf(services, tokenViewer()), { hostId, type: "qemu", vmid });

  it("names its host only while that host is switched off", async () => {
    const names = await Promise.all([1, 2, 3].map(async (hostId) => (await find(hostId)).switchedOffHost));
    assert.deepEqual(names, ["alpha", null, "gamma"]);
  });

  it("is busy with what holds it, and not with what holds another guest", async () => {
    const others = ["guest:1:100", "guest:2:101", "guest:2:99", "guest:3:100"];
    await plant(services.pool, { resource_lock: others.map((key) => ({ key })) });
    assert.equal((await find(2)).busy, false);
    await plant(services.pool, { resource_lock: [{ key: "guest:2:100" }] });
    assert.equal((await find(2)).busy, true);
  });

  it("has a system disk of the size that is known; all its disks count where none of them is unsized", async () => {
    const sizes = await Promise.all([101, 102, 103, 104].map(async (vmid) => (await find(2, vmid)).systemDiskBytes));
    assert.deepEqual(sizes, [30, null, 10, null]);
  });

  it("is not found on a host that has none of its VMID", async () => {
    await refusedAs("notFound", find(3, 101));
  });
});
