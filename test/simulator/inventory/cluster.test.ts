// Tests platforms of several nodes: any member answers for all, one that is down does not, and guests move between them.
import assert from "node:assert/strict";
import type { Platform } from "../../../simulator/platform.js";
import { createPlatform } from "../../../simulator/platform.js";
import { Asker, panel, standalone } from "../asking.js";

function cluster(): Platform {
  return createPlatform({
    name: "c1",
    clusterName: "c1",
    release: "8.4",
    nodes: ["pve1", "pve2", "pve3"].map((name, index) => ({ name, address: `10.0.0.${index + 1}` })),
    storages: [
      { name: "local", type: "dir" },
      { name: "nas", type: "nfs" },
      { name: "fast", type: "lvmthin", nodes: ["pve1", "pve2"] },
    ],
    tokens: [{ id: panel, secret: "x" }],
    timeFactor: 1000,
  });
}

async function makeVm(asker: Asker, node: string, vmid: number, disk: string): Promise<void> {
  const { exit } = await asker.run(`POST /nodes/${node}/qemu`, { vmid: String(vmid), scsi0: disk });
  assert.equal(exit, "OK");
}

describe("simulator: clusters", () => {
  it("MUST name the cluster, its members, and the one that answered", async () => {
    const asker = new Asker(cluster()).at("pve2");
    const [head, ...members] = await asker.rows("GET /cluster/status");
    assert.deepEqual(head, { type: "cluster", id: "cluster", name: "c1", nodes: 3, quorate: 1, version: 3 });
    assert.deepEqual(
      members.map((row) => [row.name, row.local, row.nodeid, row.ip]),
      [
        ["pve1", 0, 1, "10.0.0.1"],
        ["pve2", 1, 2, "10.0.0.2"],
        ["pve3", 0, 3, "10.0.0.3"],
      ],
    );
  });

  it("MUST show a standalone node without a cluster", async () => {
    const rows = await new Asker(standalone()).rows("GET /cluster/status");
    assert.deepEqual(rows, [
      { type: "node", id: "node/pvea", name: "pvea", ip: "127.0.0.1", online: 1, local: 1, nodeid: 0, level: "" },
    ]);
  });

  it("MUST answer for every member at any of them, and respect VMIDs everywhere", async () => {
    const asker = new Asker(cluster());
    await makeVm(asker.at("pve1"), "pve2", 100, "local:1");
    assert.equal((await asker.at("pve3").ask("GET /nodes/pve2/qemu/100/config")).status, 200);
    const wrong = await asker.ask("GET /nodes/pve1/qemu/100/config");
    assert.equal(wrong.message, "Configuration file 'nodes/pve1/qemu-server/100.conf' does not exist");
    assert.equal(await asker.data("GET /cluster/nextid"), "101");
    const taken = await asker.ask("POST /nodes/pve3/qemu", { vmid: "100" });
    assert.equal(taken.message, "unable to create VM 100 - VM 100 already exists on node 'pve2'");
  });

  it("MUST not reach a member that is down, and keep its guests as unknown", async () => {
    const asker = new Asker(cluster());
    await makeVm(asker, "pve2", 100, "local:1");
    const node = asker.platform.state.nodes.get("pve2");
    assert.ok(node);
    node.online = false;
    assert.deepEqual(await asker.ask("GET /nodes/pve2/status"), { status: 595, message: "No route to host" });
    const rows = await asker.rows("GET /cluster/resources", { type: "vm" });
    assert.deepEqual(
      rows.map((row) => [row.vmid, row.status, row.node]),
      [[100, "unknown", "pve2"]],
    );
    const nodes = await asker.rows("GET /nodes");
    assert.deepEqual(
      nodes.map((row) => row.status),
      ["online", "offline", "online"],
    );
  });

  it("MUST fail the name lookup of an unknown node", async () => {
    const { status, message } = await new Asker(cluster()).ask("GET /nodes/pvez/qemu");
    assert.equal(status, 500);
    assert.match(message ?? "", /^hostname lookup 'pvez' failed - failed to get address info for: pvez:/);
  });

  it("MUST clone to another member only from shared storage", async () => {
    const asker = new Asker(cluster());
    await makeVm(asker, "pve1", 100, "nas:1");
    await makeVm(asker, "pve1", 101, "local:1");
    const local = await asker.ask("POST /nodes/pve1/qemu/101/clone", { newid: "200", full: "1", target: "pve2" });
    assert.equal(local.message, "can't clone VM to node 'pve2' (VM uses local storage)");
    const { exit } = await asker.run("POST /nodes/pve1/qemu/100/clone", { newid: "200", full: "1", target: "pve2" });
    assert.equal(exit, "OK");
    assert.equal((await asker.record("GET /nodes/pve2/qemu/200/config")).scsi0, "nas:200/vm-200-disk-0.raw,size=1G");
  });

  it("MUST show a storage on the members that have it, with local space apart and shared space together", async () => {
    const asker = new Asker(cluster());
    await makeVm(asker, "pve1", 100, "fast:10");
    const rows = await asker.rows("GET /cluster/resources", { type: "storage" });
    assert.deepEqual(
      rows.filter((row) => row.storage === "fast").map((row) => row.node),
      ["pve1", "pve2"],
    );
    assert.deepEqual(
      (await asker.rows("GET /nodes/pve3/storage")).map((row) => [row.storage, row.enabled, row.active]),
      [
        ["local", 1, 1],
        ["nas", 1, 1],
        ["fast", 0, 0],
      ],
    );
    assert.equal((await asker.rows("GET /nodes/pve1/storage/fast/content")).length, 1);
    assert.equal((await asker.rows("GET /nodes/pve2/storage/fast/content")).length, 0);
    const missing = await asker.ask("POST /nodes/pve3/qemu", { vmid: "300", scsi0: "fast:1" });
    assert.equal(missing.status, 200);
  });

  it("MUST move a VM to another member with its disks", async () => {
    const asker = new Asker(cluster());
    await makeVm(asker, "pve1", 100, "local:1");
    assert.equal((await asker.run("POST /nodes/pve1/qemu/100/migrate", { target: "pve2" })).exit, "OK");
    assert.equal((await asker.ask("GET /nodes/pve2/qemu/100/config")).status, 200);
    assert.equal((await asker.rows("GET /nodes/pve2/storage/local/content", { vmid: "100" })).length, 1);
  });

  it("MUST NOT write while a member does not see most of the others", async () => {
    const platform = cluster();
    const asker = new Asker(platform);
    await makeVm(asker, "pve1", 100, "local:1");
    for (const name of ["pve2", "pve3"]) Object.assign(platform.state.nodes.get(name) ?? {}, { online: false });
    const vm = "/nodes/pve1/qemu/100";
    const [head] = await asker.rows("GET /cluster/status");
    assert.equal(head?.quorate, 0);
    const said = async (what: string, parameters: Record<string, unknown> = {}) =>
      (await asker.ask(what, parameters)).message;
    const begins: [string, Record<string, unknown>][] = [
      ["POST /nodes/pve1/qemu", { vmid: "101" }],
      [`POST ${vm}/clone`, { newid: "101" }],
      [`POST ${vm}/status/start`, {}],
    ];
    for (const [what, parameters] of begins) {
      assert.equal(await said(what, parameters), "cluster not ready - no quorum?", what);
    }
    assert.match(String(await said(`PUT ${vm}/config`, { onboot: "1" })), /100\.conf\.tmp\.\d+' - Permission denied$/);
    assert.match((await asker.run(`DELETE ${vm}`)).exit, /Permission denied$/);
    assert.equal(await said("POST /access/users/root@pam/token/late"), "cfs-lock 'file-user_cfg' error: no quorum!");
    assert.equal((await asker.ask(`GET ${vm}/config`)).status, 200);
    Object.assign(platform.state.nodes.get("pve2") ?? {}, { online: true });
    assert.equal((await asker.run(`POST ${vm}/status/start`)).exit, "OK");
  });
});
