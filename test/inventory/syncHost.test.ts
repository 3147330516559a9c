// What a sync writes of a host: everything at first, afterwards only what changed.
import assert from "node:assert/strict";
import { GIB } from "../../src/core/units.js";
import { plant } from "../support/rows.js";
import { Site, type ConnectedHost } from "./support/site.js";

const VM = { type: "qemu", vmid: 100, node: "pvea", name: "web1", memory: 2048, cores: 2, diskGb: 8 };
const CONTAINER = { type: "lxc", vmid: 101, node: "pvea", name: "box", memory: 512, cores: 1, diskGb: 4 };

describe("a sync of a standalone host", () => {
  let site: Site;
  let pve: ConnectedHost;
  beforeEach(async () => {
    site = await Site.open();
    pve = await site.connect();
    await pve.control.post("/guests", VM);
    await pve.control.post("/guests", CONTAINER);
  });
  afterEach(() => site.close());

  /** Which transaction wrote each guest whose figures stand still. */
  const rowVersions = () => site.rows("select id, xmin::text from guest where status = 'stopped' order by id");

  it("reads a host that does not list its tasks", async () => {
    await pve.control.post("/faults", {
      path: "/cluster/tasks",
      effect: "status",
      status: 501,
      message: "not implemented",
    });
    await pve.sync();
    const host = await site.row("select last_sync_error as error from host");
    assert.deepEqual(host, { error: null });
    assert.equal((await site.rows("select 1 from guest")).length, 2);
  });

  it("writes the host, its node, storages, networks and files", async () => {
    await pve.sync();
    const host = await site.row<Record<string, unknown>>(
      "select kind, cluster_name, version, last_sync_at is not null as synced, last_sync_error as error from host",
    );
    assert.match(String(host?.["version"]), /^8\.4/);
    assert.deepEqual(
      { ...host, version: 0 },
      { kind: "standalone", cluster_name: null, version: 0, synced: true, error: null },
    );
    const node = await site.row<Record<string, unknown>>(
      `select name, status, cpu_cores, memory_mb, memory_used_mb > 0 as used, started_at < now() as started,
         version is not null as versioned, cpu_average_30m is not null as averaged from node`,
    );
    assert.deepEqual(node, {
      name: "pvea",
      status: "online",
      cpu_cores: 16,
      memory_mb: 65_536,
      used: true,
      started: true,
      versioned: true,
      averaged: true,
    });
    const storages = await site.rows<{ content: string[]; total: number; used: number; free: number }>(
      "select content, total_bytes as total, used_bytes as used, free_bytes as free from storage where active and name = 'local'",
    );
    assert.deepEqual(
      storages.map(({ content, total, used, free }) => [
        content.includes("images"),
        total - used === free,
        total > GIB,
      ]),
      [[true, true, true]],
    );
    assert.deepEqual(await site.rows("select name, type, active from network"), [
      { name: "vmbr0", type: "bridge", active: true },
    ]);
    assert.deepEqual(await site.rows("select storage, volid, content from node_file order by volid"), [
      { storage: "local", volid: "local:iso/rescue.iso", content: "iso" },
      { storage: "local", volid: "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.gz", content: "vztmpl" },
    ]);
  });

  it("writes guests with what their configuration states", async () => {
    await pve.sync();
    const guests = await site.rows(
      `select type, vmid, name, status, cores, memory_mb, disk_bytes, template, unseen_since, identity->'marks'->>'uuid' is not null as marked
       from guest order by vmid`,
    );
    const common = { status: "stopped", template: false, unseen_since: null };
    assert.deepEqual(guests, [
      {
        type: "qemu",
        vmid: 100,
        name: "web1",
        cores: 2,
        memory_mb: 2048,
        disk_bytes: 8 * GIB,
        marked: true,
        ...common,
      },
      { type: "lxc", vmid: 101, name: "box", cores: 1, memory_mb: 512, disk_bytes: 4 * GIB, marked: false, ...common },
    ]);
  });

  it("keeps the platform's hour of samples, none twice", async () => {
    await pve.sync();
    const first = await site.rows<{ at: Date }>("select at from node_sample order by at");
    assert.ok(first.length >= 60 && first.length <= 71, String(first.length));
    await pve.sync({ thorough: true });
    const [again] = await site.rows<{ all: number; minutes: number; fresh: number }>(
      `select count(*) as all, count(distinct date_trunc('minute', at)) as minutes,
         count(*) filter (where at > $1) as fresh from node_sample`,
      first.at(-1)?.at,
    );
    assert.equal(again?.all, again?.minutes);
    assert.equal((again?.all ?? 0) - first.length, again?.fresh);
    assert.ok((again?.fresh ?? 0) <= 1);
  });

  it("asks for a node's last hour with its details, and when it was not seen for a minute", async () => {
    const asked: number[] = [];
    // The details are due at first, and again after 5 minutes.
    for (const seconds of [0, 30, 180, 30, 100]) {
      site.clock.shift(seconds);
      await pve.sync();
      asked.push(await requestsFor(pve, /\/rrddata/));
    }
    assert.deepEqual(asked, [1, 1, 2, 2, 3]);
  });

  it("averages the last 30 minutes only", async () => {
    await pve.sync();
    await site.rows("update node_sample set cpu_usage = 0.5");
    await site.rows("update node_sample set cpu_usage = 1 where at <= now() - interval '31 minutes'");
    await site.rows("update node set details_read_at = now(), sampled_at = now()");
    await pve.sync();
    const node = await site.row<{ average: number }>("select cpu_average_30m as average from node");
    assert.ok(Math.abs((node?.average ?? 0) - 0.5) < 0.06, String(node?.average));
  });

  it("writes no guest when nothing happened", async () => {
    await pve.control.post("/guests", { ...VM, vmid: 102, name: "runs", status: "running" });
    await pve.sync();
    const before = await rowVersions();
    await pve.sync();
    assert.deepEqual(await rowVersions(), before);
    const asked = await configReads(pve);
    await pve.sync();
    assert.equal(await configReads(pve), asked, "unchanged configurations are not read again");
  });

  it("follows what is changed on the platform", async () => {
    await pve.sync();
    const guest = pve.host.platform.state.guests.get(VM.vmid);
    Object.assign(guest?.config ?? {}, { name: "web2", memory: "4096", cores: "4", tags: "a;b", lock: "backup" });
    await pve.sync();
    assert.deepEqual(await site.row("select id, name, memory_mb, cores, tags, lock from guest where vmid = 100"), {
      id: 1,
      name: "web2",
      memory_mb: 4096,
      cores: 4,
      tags: ["a", "b"],
      lock: "backup",
    });
  });

  it("reads configurations again after a quarter of an hour, or when asked to be thorough", async () => {
    await pve.sync();
    const guest = pve.host.platform.state.guests.get(VM.vmid);
    const give = (ip: string) => Object.assign(guest?.config ?? {}, { ipconfig0: `ip=${ip}/24` });
    const addresses = async () =>
      (await site.row<{ ips: string[] }>("select ip_addresses as ips from guest where vmid = 100"))?.ips;
    give("192.0.2.5");
    await pve.sync();
    assert.deepEqual(await addresses(), []);
    await pve.sync({ thorough: true });
    assert.deepEqual(await addresses(), ["192.0.2.5"]);
    give("192.0.2.6");
    site.clock.shift(15 * 60 + 1);
    await pve.sync();
    assert.deepEqual(await addresses(), ["192.0.2.6"]);
  });

  it("records what is known of a node when one of its storages hangs or fails", async () => {
    await pve.sync();
    await pve.control.post("/faults", {
      path: "/storage/local/content",
      effect: "status",
      status: 500,
      message: "mount failed",
    });
    await site.rows("update node set version = null, details_read_at = null");
    await pve.sync();
    assert.deepEqual(await site.row("select version is not null as read from node"), { read: true });
    assert.deepEqual(await site.row("select count(*) as files from node_file"), { files: 2 });
    await pve.control.delete("/faults");
    pve.host.platform.state.volumes = pve.host.platform.state.volumes.filter(({ content }) => content !== "iso");
    await pve.sync({ thorough: true });
    assert.deepEqual(await site.rows("select volid from node_file where content = 'iso'"), []);
  });

  it("keeps templates at their guest", async () => {
    await pve.control.post("/guests", { ...VM, vmid: 9000, name: "tpl", config: { template: 1 } });
    await pve.sync();
    await plant(site.services.pool, { os_template: [{ vmid: 9000 }] });
    await pve.sync();
    assert.deepEqual(await site.row("select storages from guest where vmid = 9000"), { storages: ["local"] });
    const template = () => site.row("select active, min_disk_bytes as bytes from os_template");
    assert.deepEqual(await template(), { active: true, bytes: 8 * GIB });
    delete pve.host.platform.state.guests.get(9000)?.config["template"];
    await pve.sync();
    assert.deepEqual(await template(), { active: false, bytes: 8 * GIB });
  });
});

const configReads = (host: ConnectedHost): Promise<number> => requestsFor(host, /\/(?:100|101)\/config/);

async function requestsFor({ control }: ConnectedHost, what: RegExp): Promise<number> {
  const requests = await control.get("/requests");
  assert.ok(Array.isArray(requests));
  return requests.filter((request) => what.test(JSON.stringify(request))).length;
}
