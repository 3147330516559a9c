// Tests who may do what: rules, roles, tokens with their own rules, pools, and the words of refusals.
import assert from "node:assert/strict";
import { builtinRoles } from "../../../simulator/access/roles.js";
import { Asker, panel, standalone } from "../asking.js";

const viewer = "root@pam!viewer";

async function withViewer(): Promise<{ panel: Asker; viewer: Asker }> {
  const asker = new Asker(standalone());
  await asker.makeVm(100);
  await asker.data("POST /access/users/root@pam/token/viewer");
  return { panel: asker, viewer: asker.as(viewer) };
}

describe("simulator: permissions", () => {
  it("MUST refuse everything to a token without rules, naming path and privilege", async () => {
    const { viewer: asker } = await withViewer();
    const cases: [string, string][] = [
      ["GET /nodes/pvea/status", "Permission check failed (/nodes/pvea, Sys.Audit)"],
      ["GET /cluster/status", "Permission check failed (/, Sys.Audit)"],
      ["GET /nodes/pvea/qemu/100/config", "Permission check failed (/vms/100, VM.Audit)"],
      ["POST /nodes/pvea/qemu/100/clone", "Permission check failed (/vms/100, VM.Clone)"],
      ["DELETE /nodes/pvea/qemu/100", "Permission check failed (/vms/100, VM.Allocate)"],
      ["POST /access/users/root@pam/token/mine", "Permission check failed"],
      ["POST /access/users/ghost@pve/token/mine", "Permission check failed"],
      ["GET /nodes/pvea/qemu/7777/config", "Permission check failed (/vms/7777, VM.Audit)"],
    ];
    for (const [what, message] of cases)
      assert.deepEqual(await asker.ask(what, { newid: "199" }), { status: 403, message }, what);
  });

  it("MUST check rights before parameters, and parameters before existence", async () => {
    const { viewer: asker, panel: full } = await withViewer();
    assert.equal((await asker.ask("POST /nodes/pvea/qemu/100/status/start", { nosuch: "1" })).status, 403);
    assert.equal((await full.ask("GET /nodes/pvea/qemu/7777/config", { nosuch: "1" })).status, 400);
    assert.equal((await full.ask("GET /nodes/pvea/qemu/7777/config")).status, 500);
  });

  it("MUST filter lists, and leave figures out of a node's row", async () => {
    const { viewer: asker } = await withViewer();
    assert.deepEqual(await asker.rows("GET /nodes/pvea/qemu"), []);
    assert.deepEqual(await asker.rows("GET /nodes/pvea/storage"), []);
    const [node] = await asker.rows("GET /nodes");
    assert.deepEqual(Object.keys(node ?? {}).toSorted(), ["id", "level", "node", "ssl_fingerprint", "status", "type"]);
  });

  it("MUST give a role on one path and take it away again", async () => {
    const { panel: full, viewer: asker } = await withViewer();
    const rule = { path: "/vms/100", roles: "PVEVMUser", tokens: viewer };
    await full.data("PUT /access/acl", rule);
    assert.equal((await asker.ask("GET /nodes/pvea/qemu/100/config")).status, 200);
    const refused = await asker.ask("PUT /nodes/pvea/qemu/100/config", { tags: "x" });
    assert.equal(refused.message, "Permission check failed (/vms/100, VM.Config.Options)");
    await full.data("PUT /access/acl", { ...rule, delete: "1" });
    assert.equal((await asker.ask("GET /nodes/pvea/qemu/100/config")).status, 403);
  });

  it("MUST let nearer rules replace those above, and propagate only where set", async () => {
    const { panel: full, viewer: asker } = await withViewer();
    await full.data("PUT /access/acl", { path: "/", roles: "Administrator", tokens: viewer });
    await full.data("PUT /access/acl", { path: "/vms", roles: "PVEAuditor", tokens: viewer });
    assert.equal((await asker.ask("GET /nodes/pvea/qemu/100/config")).status, 200);
    assert.equal((await asker.ask("DELETE /nodes/pvea/qemu/100")).status, 403);
    await full.data("PUT /access/acl", { path: "/vms", roles: "NoAccess", tokens: viewer });
    await full.data("PUT /access/acl", { path: "/vms", roles: "PVEAuditor", tokens: viewer, delete: "1" });
    assert.equal((await asker.ask("GET /nodes/pvea/qemu/100/config")).status, 403);
  });

  it("MUST intersect a separated token's rights with its user's", async () => {
    const full = new Asker(standalone());
    await full.data("POST /access/users", { userid: "ops@pve", password: "Secr3t-ops-1" });
    await full.data("PUT /access/acl", { path: "/vms", roles: "PVEVMAdmin", users: "ops@pve" });
    await full.data("POST /access/users/ops@pve/token/t1");
    await full.data("PUT /access/acl", { path: "/", roles: "Administrator", tokens: "ops@pve!t1" });
    const { permissions } = full.platform;
    assert.equal(permissions.has("ops@pve!t1", "/vms/100", ["VM.Allocate"]), true);
    assert.equal(permissions.has("ops@pve!t1", "/", ["Sys.Audit"]), false);
    await full.data("PUT /access/users/ops@pve/token/t1", { privsep: "0" });
    assert.equal(permissions.has("ops@pve!t1", "/vms/100", ["VM.Allocate"]), true);
  });

  it("MUST carry rights on a pool over to its members", async () => {
    const { panel: full, viewer: asker } = await withViewer();
    await full.data("POST /pools", { poolid: "customers" });
    await full.makeVm(101, { pool: "customers" });
    await full.data("PUT /access/acl", { path: "/pool/customers", roles: "PVEVMUser", tokens: viewer });
    assert.equal((await asker.ask("GET /nodes/pvea/qemu/101/config")).status, 200);
    assert.equal((await asker.ask("GET /nodes/pvea/qemu/100/config")).status, 403);
  });

  it("MUST never take a token for the superuser", async () => {
    const { panel: full } = await withViewer();
    const config = "PUT /nodes/pvea/qemu/100/config";
    assert.deepEqual(await full.ask(config, { args: "-foo" }), {
      status: 500,
      message: "only root can set 'args' config",
    });
    const skiplock = await full.ask(config, { onboot: "0", skiplock: "1" });
    assert.deepEqual(skiplock.errors, { skiplock: "Only root may use this option." });
    assert.equal((await full.as("root@pam").ask(config, { args: "-foo" })).status, 200);
  });

  it("MUST report what is wrong with a rule", async () => {
    const { panel: full } = await withViewer();
    const refuse = async (parameters: Record<string, string>): Promise<unknown> => {
      const { status, message, errors } = await full.ask("PUT /access/acl", parameters);
      return errors ?? [status, message];
    };
    assert.deepEqual(await refuse({ path: "/", roles: "NoSuchRole", tokens: viewer }), [
      500,
      "ACL update failed: role 'NoSuchRole' does not exist",
    ]);
    assert.deepEqual(await refuse({ path: "/", roles: "PVEAuditor", tokens: "root@pam!nosuch" }), [
      500,
      "ACL update failed: no such token 'nosuch' for user 'root@pam'",
    ]);
    assert.deepEqual(await refuse({ path: "/nonsense", roles: "PVEAuditor", tokens: viewer }), {
      path: "invalid ACL path '/nonsense'",
    });
  });

  it("MUST have the roles and privileges of each release", () => {
    assert.ok(builtinRoles("7.4").get("PVEVMAdmin")?.has("VM.Monitor"));
    assert.ok(!builtinRoles("9.2").get("Administrator")?.has("VM.Monitor"));
    assert.ok(builtinRoles("8.4").get("PVESDNUser")?.has("SDN.Use"));
    assert.equal(builtinRoles("7.4").get("PVESDNUser"), undefined);
    for (const release of ["7.4", "8.4", "9.2"] as const) {
      assert.ok(builtinRoles(release).get("Administrator")?.has("Sys.Incoming"), release);
      assert.ok(!builtinRoles(release).get("PVEAdmin")?.has("Sys.Incoming"), release);
    }
  });

  it("MUST show tokens as they are, and secrets only once", async () => {
    const full = new Asker(standalone());
    const made = await full.record("POST /access/users/root@pam/token/mig-1", { expire: "1795226755", privsep: "0" });
    assert.deepEqual(made.info, { privsep: "0", expire: "1795226755" });
    assert.deepEqual(await full.record("GET /access/users/root@pam/token/mig-1"), {
      privsep: 0,
      expire: 1_795_226_755,
    });
    assert.deepEqual((await full.ask("POST /access/users/root@pam/token/mig-1")).errors, {
      tokenid: "Token already exists.",
    });
    await full.data("DELETE /access/users/root@pam/token/mig-1");
    assert.equal(
      (await full.ask("DELETE /access/users/root@pam/token/mig-1")).message,
      "no such token 'mig-1' for user 'root@pam'",
    );
    assert.equal(panel, "root@pam!panel");
  });
});
