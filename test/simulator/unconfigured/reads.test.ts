// Tests reads of what a host has and nobody has set up: their shapes, who may make them, and in which releases they exist.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Release } from "../../../simulator/version.js";
import { releases } from "../../../simulator/version.js";
import { Asker, panel, standalone } from "../asking.js";

const watcher = "watcher@pve";
/** 7.4 has software-defined networks as a package that is not installed. */
const isLeftOut = (release: Release, path: string): boolean => release === "7.4" && path === "/cluster/sdn";
const missing = (path: string) => ({ status: 501, message: `Method 'GET ${path}' not implemented` });

async function withWatcher(release: Release): Promise<Asker> {
  const asker = new Asker(standalone({ release }));
  await asker.data("POST /access/users", { userid: watcher });
  return asker;
}

/** Paths that the documents name as not answered, with their parameters as `{node}`. */
async function documentedPaths(): Promise<string[]> {
  const text = await readFile(new URL("../../../../docs/engineering.md", import.meta.url), "utf8");
  const [, section = ""] = text.split("### What it does not answer");
  return [...section.matchAll(/`(\/[^`]+)`/g)].map(([, path = ""]) => path);
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);

/** Every path that the indexes lead to, with the status of its answer. */
async function crawl(asker: Asker): Promise<Map<string, number>> {
  const statuses = new Map<string, number>();
  const waiting = ["/"];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const { status, data } = await asker.ask(`GET ${path}`);
    statuses.set(path, status);
    for (const name of status === 200 ? namesIn(path, data) : []) {
      const below = `${path === "/" ? "" : path}/${name}`;
      if (!statuses.has(below)) waiting.push(below);
    }
  }
  return statuses;
}

/** An index has one column; the list of nodes leads to each node. */
function namesIn(path: string, data: unknown): string[] {
  if (!Array.isArray(data)) return [];
  return data.flatMap((row: Record<string, unknown>) => {
    const values = path === "/nodes" ? [row.node] : Object.keys(row).length === 1 ? Object.values(row) : [];
    return values.filter((value) => typeof value === "string");
  });
}

describe("simulator: features that are not set up", () => {
  for (const release of releases)
    it(`MUST answer what the indexes of ${release} name, except what the documents list`, async () => {
      const asker = new Asker(standalone({ release }));
      const unanswered = (await documentedPaths()).map(patternOf);
      const statuses = await crawl(asker);
      const silent = [...statuses].filter(([, status]) => status === 501).map(([path]) => path);
      const unexplained = silent.filter((path) => !unanswered.some((pattern) => pattern.test(path)));
      assert.deepEqual(
        unexplained.filter((path) => !isLeftOut(release, path)),
        [],
      );
      assert.ok([...statuses.values()].filter((status) => status === 200).length >= 60);
    });

  it("MUST answer nothing that the documents list as not answered", async () => {
    const asker = new Asker(standalone());
    const paths = await documentedPaths();
    assert.ok(paths.length > 30);
    for (const path of paths.map((one) => one.replace("{node}", "pvea").replaceAll(/\{\w+\}/g, "start")))
      assert.deepEqual(await asker.ask(`GET ${path}`), missing(path));
  });

  it("MUST have the shapes of a host as it was installed", async () => {
    const asker = new Asker(standalone());
    for (const [path, data] of [
      ["/cluster/ha/resources", []],
      ["/cluster/ha/rules", []],
      ["/cluster/replication", []],
      ["/cluster/metrics/server", []],
      ["/cluster/jobs/realm-sync", []],
      ["/cluster/mapping/pci", []],
      ["/cluster/firewall/rules", []],
      ["/nodes/pvea/config", {}],
      ["/nodes/pvea/hardware/usb", []],
      ["/nodes/pvea/capabilities/qemu/migration", { "has-dbus-vmstate": true }],
      ["/access/tfa", []],
      ["/access/users/root@pam/tfa", {}],
    ] as const)
      assert.deepEqual(await asker.ask(`GET ${path}`), { status: 200, data }, path);
    assert.deepEqual(await asker.data("GET /access/users/root@pam/tfa", { multiple: "1" }), { user: [] });
    const subscription = await asker.record("GET /nodes/pvea/subscription");
    assert.equal(subscription.status, "notfound");
    assert.match(String(subscription.serverid), /^[0-9A-F]{32}$/);
  });

  it("MUST refuse what is not there with the text of the real one", async () => {
    const asker = new Asker(standalone());
    for (const [path, message] of [
      ["/cluster/ha/groups", "cannot index groups: ha groups have been migrated to rules"],
      ["/cluster/ha/rules/apart", "no such ha rule 'apart'"],
      ["/cluster/ha/resources/vm:7999", "no such resource 'vm:7999'"],
      ["/cluster/ha/resources/7999", "unable do add resource - VM/CT 7999 does not exist"],
      ["/cluster/replication/100-0", "no such replication job '100-0'"],
      ["/cluster/metrics/server/influx", "status server entry 'influx' does not exist"],
      ["/cluster/ceph/status", "binary not installed: /usr/bin/ceph-mon"],
      ["/access/groups/nosuch", "group 'nosuch' does not exist"],
      ["/access/domains/nosuch", "domain 'nosuch' does not exist"],
    ] as const)
      assert.deepEqual(await asker.ask(`GET ${path}`), { status: 500, message }, path);
    assert.equal((await asker.ask("GET /access/tfa/root@pam/abc")).status, 404);
  });

  it("MUST refuse values that the parameters do not allow", async () => {
    const asker = new Asker(standalone());
    for (const [path, parameters] of [
      ["/cluster/ha/resources", { type: "pod" }],
      ["/cluster/replication/100", {}],
      ["/cluster/metrics/server", { verbose: "1" }],
      ["/cluster/mapping/pci", { "check-node": "a b" }],
    ] as const)
      assert.equal((await asker.ask(`GET ${path}`, parameters)).status, 400, path);
  });

  it("MUST refuse a caller without the privilege, and name it", async () => {
    const asker = await withWatcher("9.2");
    for (const [path, detail] of [
      ["/cluster/ha/resources", "/, Sys.Audit"],
      ["/cluster/metrics/server", "/, Sys.Audit"],
      ["/cluster/ceph/status", "/, Sys.Audit|Datastore.Audit"],
      ["/cluster/sdn", "/, SDN.Audit"],
      ["/nodes/pvea/hosts", "/nodes/pvea, Sys.Audit"],
      ["/nodes/pvea/hardware/usb", "/, Sys.Modify"],
      ["/access/groups/staff", "/access/groups, Sys.Audit|Group.Allocate"],
    ] as const)
      assert.deepEqual(
        await asker.as(watcher).ask(`GET ${path}`),
        { status: 403, message: `Permission check failed (${detail})` },
        path,
      );
    const factors = await asker.as(watcher).ask("GET /access/tfa/root@pam");
    assert.deepEqual(factors, { status: 403, message: "Permission check failed" });
    assert.deepEqual(await asker.as(watcher).data(`GET /access/tfa/${watcher}`), []);
    assert.equal((await asker.as(watcher).record("GET /nodes/pvea/subscription")).serverid, undefined);
  });

  it("MUST look for the node of the path where the real one hands the call to it, and only there", async () => {
    const asker = new Asker(standalone());
    const { status, message } = await asker.ask("GET /nodes/gone/subscription");
    assert.equal(status, 500);
    assert.match(message ?? "", /^hostname lookup 'gone' failed/);
    assert.equal((await asker.ask("GET /nodes/gone/capabilities/qemu/cpu")).status, 200);
  });

  it("MUST have no path that came with a later release", async () => {
    const older = new Asker(standalone({ release: "7.4" }));
    for (const path of ["/cluster/mapping", "/cluster/notifications", "/cluster/ha/rules", "/cluster/jobs/realm-sync"])
      assert.deepEqual(await older.ask(`GET ${path}`), missing(path));
    assert.deepEqual(await older.data("GET /cluster/ha/groups"), []);
    const names = (await older.rows("GET /nodes/pvea/capabilities/qemu/cpu")).map(({ name }) => name);
    assert.ok(names.includes("kvm64") && !names.includes("x86-64-v3"));
    const newer = new Asker(standalone({ release: "8.4" }));
    const models = await newer.rows("GET /nodes/pvea/capabilities/qemu/cpu");
    assert.deepEqual(
      ["EPYC", "Haswell", "x86-64-v3"].map((wanted) => models.find(({ name }) => name === wanted)?.vendor),
      ["AuthenticAMD", "GenuineIntel", "default"],
    );
  });

  it("MUST show the guests that high availability manages, and its manager only then", async () => {
    const asker = new Asker(standalone());
    assert.deepEqual(
      (await asker.rows("GET /cluster/ha/status/current")).map(({ id, status }) => [id, status]),
      [
        ["quorum", "OK"],
        ["fencing", "standby (CRM watchdog standby)"],
      ],
    );
    await asker.makeVm(100);
    const guest = asker.platform.state.guests.get(100);
    assert.ok(guest);
    guest.hastate = "started";
    const [resource] = await asker.rows("GET /cluster/ha/resources");
    assert.deepEqual([resource?.sid, resource?.type, resource?.state], ["vm:100", "vm", "started"]);
    assert.deepEqual(await asker.rows("GET /cluster/ha/resources", { type: "ct" }), []);
    assert.deepEqual(await asker.record("GET /cluster/ha/resources/100"), resource);
    const rows = await asker.rows("GET /cluster/ha/status/current");
    assert.deepEqual(
      rows.map(({ id }) => id),
      ["quorum", "master", "fencing", "lrm:pvea", "service:vm:100"],
    );
    assert.equal(rows.at(-1)?.status, "vm:100 (pvea, started)");
    assert.match(String(rows[1]?.status), /^pvea \(active, \w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}\)$/);
  });

  it("MUST show a replication job to who may audit its guest", async () => {
    const asker = await withWatcher("9.2");
    await asker.makeVm(100);
    const guest = asker.platform.state.guests.get(100);
    assert.ok(guest);
    guest.replicatedTo = "pveb";
    const [job] = await asker.rows("GET /cluster/replication");
    assert.deepEqual([job?.id, job?.source, job?.target], ["100-0", "pvea", "pveb"]);
    assert.equal((await asker.record("GET /cluster/replication/100-0")).guest, 100);
    assert.equal((await asker.record("GET /nodes/pvea/replication/100-0/status")).vmtype, "qemu");
    assert.deepEqual(await asker.as(watcher).ask("GET /cluster/replication/100-0"), {
      status: 403,
      message: "Permission check failed (/vms/100, VM.Audit)",
    });
  });

  it("MUST keep the comment of a group, and show a realm", async () => {
    const asker = await withWatcher("9.2");
    await asker.data("POST /access/groups", { groupid: "staff", comment: "x" });
    assert.deepEqual(await asker.data("GET /access/groups/staff"), { members: [], comment: "x" });
    assert.deepEqual(await asker.as(panel).rows("GET /access/groups"), [{ groupid: "staff", comment: "x", users: "" }]);
    assert.equal((await asker.record("GET /access/domains/pve")).comment, "Proxmox VE authentication server");
  });
});
