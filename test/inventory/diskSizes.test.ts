// The sizes of guests' disks: from the configuration, else from the storage's list of volumes, else not known, and never 0.
import assert from "node:assert/strict";
import { connectAs, requestsOf } from "../jobs/migration/connectedAs.js";
import { Site, type ConnectedHost } from "./support/site.js";

const GIB = 1024 ** 3;

const WITHOUT_STORAGES = ["VM.Audit", "Sys.Audit", "Sys.Modify"];

describe("the sizes of disks", () => {
  let site: Site;
  let pve: ConnectedHost;
  beforeEach(async () => {
    site = await Site.open();
    pve = await site.connect();
    pve.host.platform.state.storages.set("local-lvm", {
      name: "local-lvm",
      type: "lvmthin",
      content: ["images", "rootdir"],
      shared: false,
      enabled: true,
      nodes: null,
      path: "local-lvm",
      totalBytes: 100 * GIB,
      foreignBytes: 0,
    });
  });
  afterEach(() => site.close());

  const place = (guest: { readonly vmid: number } & Record<string, unknown>): Promise<unknown> =>
    pve.control.post("/guests", {
      node: "pvea",
      status: "stopped",
      memory: 512,
      cores: 1,
      storage: "local-lvm",
      ...guest,
    });

  const sizeOf = (vmid: number): Promise<{ gib: number; unsized: string[] | null } | undefined> =>
    site.row(
      `select disk_bytes::float8 / ${GIB} as gib, unsized_disks as unsized from guest where vmid = $1 and gone_at is null`,
      vmid,
    );

  const listsOf = async (storage: string): Promise<number> => {
    const asked = await requestsOf(pve);
    return asked.filter(({ path }) => path.includes(`/storage/${storage}/content`)).length;
  };

  it("that a configuration states are its own, and ask no storage", async () => {
    await place({ type: "qemu", vmid: 8998, name: "sized", diskGb: 32 });
    await pve.sync();
    assert.deepEqual(await sizeOf(8998), { gib: 32, unsized: [] });
  });

  const withoutSize = [
    { type: "qemu", vmid: 8999, name: "nosize", config: { scsi0: "local-lvm:vm-8999-disk-9" }, key: "scsi0" },
    { type: "lxc", vmid: 8997, name: "nosizect", config: { rootfs: "local-lvm:vm-8997-disk-9" }, key: "rootfs" },
  ] as const;
  for (const { key, ...guest } of withoutSize) {
    it(`that a ${guest.type} guest's line does not state come from the storage's list`, async () => {
      await place({ ...guest, diskGb: 32 });
      await pve.sync();
      assert.deepEqual(await sizeOf(guest.vmid), { gib: 32, unsized: [] });
    });

    it(`that nothing states of a ${guest.type} guest are not known, and those of its other disks are counted`, async () => {
      const other =
        guest.type === "qemu"
          ? { scsi1: "local-lvm:vm-8999-disk-1,size=8G" }
          : { mp0: "local-lvm:vm-8997-disk-1,mp=/data,size=8G" };
      await place({ ...guest, config: { ...guest.config, ...other }, diskGb: 0 });
      await pve.sync();
      assert.deepEqual(await sizeOf(guest.vmid), { gib: 8, unsized: [key] });
    });

    it(`that the connection may not look up of a ${guest.type} guest are not known, whatever the overview shows`, async () => {
      await place({ ...guest, diskGb: 32 });
      await connectAs(site, { host: pve.host, hostId: pve.id }, [{ path: "/", privileges: WITHOUT_STORAGES }]);
      await pve.sync();
      assert.deepEqual(await sizeOf(guest.vmid), { gib: 0, unsized: [key] });
    });

    it(`become known of a ${guest.type} guest once its line is written again with its size`, async () => {
      await place({ ...guest, diskGb: 0 });
      await pve.sync();
      const { config } = pve.host.platform.state.guests.get(guest.vmid) ?? assert.fail("no guest");
      config[key] = `${config[key]},size=16G`;
      await pve.sync({ thorough: true });
      assert.deepEqual(await sizeOf(guest.vmid), { gib: 16, unsized: [] });
    });
  }

  it("distinguish the system disk from others, by a machine's boot order and as a container's root file system", async () => {
    const further = { scsi1: "local-lvm:vm-311-disk-1,size=8G", efidisk0: "local-lvm:vm-311-disk-2,size=4M" };
    await place({ type: "qemu", vmid: 311, name: "first", diskGb: 2, config: further });
    const second = { scsi1: "local-lvm:vm-312-disk-1", boot: "order=ide2;scsi1;scsi0" };
    await place({ type: "qemu", vmid: 312, name: "second", diskGb: 2, config: second });
    const mounted = { mp0: "local-lvm:vm-313-disk-1,mp=/data,size=8G" };
    await place({ type: "lxc", vmid: 313, name: "ct", diskGb: 3, config: mounted });
    await place({ type: "qemu", vmid: 314, name: "diskless", diskGb: 0, config: { boot: "order=net0" } });
    await pve.sync();
    const rows = await site.rows(
      `select vmid, disk_bytes::float8 / ${GIB} as gib, system_disk_bytes::float8 / ${GIB} as system
       from guest where vmid between 311 and 314 order by vmid`,
    );
    assert.deepEqual(rows, [
      { vmid: 311, gib: 10, system: 2 },
      { vmid: 312, gib: 4, system: 2 },
      { vmid: 313, gib: 11, system: 3 },
      { vmid: 314, gib: 0, system: null },
    ]);
    Object.assign(pve.host.platform.state.guests.get(311)?.config ?? {}, { boot: "order=scsi1" });
    await pve.sync({ thorough: true });
    assert.deepEqual(
      await site.row(`select system_disk_bytes::float8 / ${GIB} as system from guest where vmid = 311`),
      {
        system: 8,
      },
    );
  });

  it("are asked of each storage once in a sync", async () => {
    for (const vmid of [301, 302, 303]) {
      await place({
        type: "qemu",
        vmid,
        name: `g${vmid}`,
        config: { scsi0: `local-lvm:vm-${vmid}-disk-9` },
        diskGb: 2,
      });
    }
    await pve.sync();
    const before = await listsOf("local-lvm");
    await pve.sync({ thorough: true });
    assert.deepEqual(await sizeOf(303), { gib: 2, unsized: [] });
    assert.equal((await listsOf("local-lvm")) - before, 1);
  });

  it("are not known of a guest whose configuration cannot be read", async () => {
    await place({ type: "qemu", vmid: 401, name: "silent", diskGb: 4 });
    await pve.control.post("/faults", { path: "/qemu/401/config", effect: "status", status: 500, message: "busy" });
    await pve.sync();
    assert.equal((await sizeOf(401))?.unsized, null);
  });
});
