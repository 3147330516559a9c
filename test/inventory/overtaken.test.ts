// A sync that another one overtakes: what it has read and the other has not stays, and nothing that the other has read newer goes.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { plant } from "../support/rows.js";
import { syncMeanwhile } from "./support/meanwhile.js";
import { Site, type ConnectedHost } from "./support/site.js";

const GUEST = { type: "qemu", vmid: 100, node: "pve2", name: "web1", status: "running", memory: 1024, cores: 1 };
const ADDRESS = { ipconfig0: "ip=192.0.2.5/24" };

describe("a sync that another one overtakes", () => {
  let site: Site;
  let pve: ConnectedHost;
  before(async () => {
    site = await Site.open();
    pve = await site.connect({ name: "lab", nodes: ["pve1", "pve2", "pve3"] });
  });
  after(() => site.close());

  beforeEach(async () => {
    await replaceGuest();
    await pve.sync({ thorough: true });
    site.clock.shift(60);
  });

  /** Another guest with the same VMID, and an overview that is the same. */
  async function replaceGuest(): Promise<void> {
    pve.host.platform.state.guests.clear();
    await pve.control.post("/guests", { ...GUEST, config: { smbios1: `uuid=${randomUUID()}` } });
  }

  /** A sync that asks for everything. @param meanwhile what happens once it has read that */
  const syncWhile = (meanwhile: () => Promise<unknown>): Promise<void> =>
    syncMeanwhile(site.services, pve.id, meanwhile, { thorough: true });

  /** Another process syncs the host in a moment. */
  async function overtake(how: { readonly thorough?: boolean } = {}): Promise<void> {
    site.clock.shift(1);
    await pve.sync(how);
  }

  const guest = () =>
    site.row<{ name: string; status: string; cores: number; ips: string[] }>(
      "select name, status, cores, ip_addresses as ips from guest where vmid = 100 and gone_at is null",
    );
  const addresses = async () => (await guest())?.ips;
  const configure = (config: object): unknown =>
    Object.assign(pve.host.platform.state.guests.get(GUEST.vmid)?.config ?? {}, config);

  function addFile(name: string): void {
    const { volumes } = pve.host.platform.state;
    const file = volumes.find(({ node, content }) => node === "pve2" && content === "iso");
    assert.ok(file !== undefined, "the node has a file");
    volumes.push({ ...file, name: `iso/${name}.iso` });
  }
  const hasFile = async (name: string): Promise<boolean> => {
    const files = "select from node_file f join node n on n.id = f.node_id where n.name = 'pve2' and f.volid = $1";
    return (await site.rows(files, `local:iso/${name}.iso`)).length === 1;
  };

  it("keeps what it alone has read: versions, certificates, files, samples, configurations", async () => {
    await site.rows("update host set version = 'old'");
    await site.rows("update node set version = 'old', certificate = 'old'");
    await site.rows("delete from node_sample");
    addFile("overtaken");
    configure(ADDRESS);
    const synced = () => site.row("select last_sync_at, last_sync_error from host");
    let other: unknown;
    await syncWhile(async () => {
      await overtake();
      assert.deepEqual([await addresses(), await hasFile("overtaken")], [[], false]);
      other = await synced();
    });
    assert.deepEqual(await site.row("select version = 'old' as old from host"), { old: false });
    assert.deepEqual(await site.rows("select from node where version = 'old' or certificate = 'old'"), []);
    assert.deepEqual([await addresses(), await hasFile("overtaken")], [["192.0.2.5"], true]);
    const past = await site.rows("select node_id from node_sample group by node_id having count(*) > 30");
    assert.equal(past.length, 3);
    assert.deepEqual(await synced(), other);
  });

  it("overwrites no newer overview", async () => {
    const now = { name: "renamed", status: "running", cores: 3, ips: ["192.0.2.5"] };
    await syncWhile(async () => {
      await pve.control.post("/nodes/pve3", { online: false });
      configure({ ...ADDRESS, name: "renamed", cores: 3 });
      await overtake();
      assert.deepEqual(await guest(), now);
    });
    assert.deepEqual(await guest(), now);
    assert.deepEqual(await site.row("select status from node where name = 'pve3'"), { status: "offline" });
    await pve.control.post("/nodes/pve3", { online: true });
  });

  it("overwrites no details and no configurations of a newer reading", async () => {
    await syncWhile(async () => {
      addFile("newer");
      configure(ADDRESS);
      await overtake({ thorough: true });
      await site.rows("update host set version = 'newer'");
      await site.rows("update node set version = 'newer', certificate = 'newer'");
    });
    assert.deepEqual([await addresses(), await hasFile("newer")], [["192.0.2.5"], true]);
    assert.deepEqual(await site.row("select version from host"), { version: "newer" });
    const nodes = await site.rows("select distinct version, certificate from node");
    assert.deepEqual(nodes, [{ version: "newer", certificate: "newer" }]);
  });

  it("overwrites no newer size of a guest whose configuration could not be read", async () => {
    await syncWhile(async () => {
      configure({ cores: 3 });
      await pve.control.post("/faults", {
        path: "/qemu/100/config",
        effect: "status",
        status: 500,
        message: "not now",
      });
      await overtake();
      await pve.control.delete("/faults");
      assert.equal((await guest())?.cores, 3);
    });
    assert.equal((await guest())?.cores, 3);
  });

  it("gives no guest the configuration of another that had its VMID before", async () => {
    configure(ADDRESS);
    await syncWhile(async () => {
      await replaceGuest();
      await overtake({ thorough: true });
      assert.deepEqual(await addresses(), []);
    });
    assert.deepEqual(await addresses(), []);
  });

  it("gives no guest the configuration of another that has its VMID now", async () => {
    await replaceGuest();
    configure(ADDRESS);
    await syncWhile(overtake);
    assert.deepEqual(await addresses(), []);
    await overtake({ thorough: true });
    assert.deepEqual(await addresses(), ["192.0.2.5"], "the next reading finds the other guest");
  });

  it("leaves a guest alone that a job holds", async () => {
    configure(ADDRESS);
    await plant(site.services.pool, { job: [{ kind: "guest_delete", status: "running", vmid: 100 }] });
    await syncWhile(async () => {
      await overtake();
      await plant(site.services.pool, { vmid_reservation: [{ vmid: 100 }] });
    });
    assert.deepEqual(await addresses(), []);
    await site.rows("delete from vmid_reservation");
  });
});
