// Sessions, users, keys and tokens over the whole way from the document to the database.
import assert from "node:assert/strict";
import { z } from "zod";
import { hashPassword, verifyPassword } from "../../src/access/password.js";
import { startExecution, type Execution } from "./execute.js";

describe("resolvers/peopleMutations", () => {
  let execution: Execution;

  beforeEach(async () => {
    execution = await startExecution();
  });
  afterEach(() => execution.services.close());

  it("signs people in and out", async () => {
    const { pool } = execution.services;
    await pool.query(`update user_account set password_hash = $1 where username = 'carl'`, [
      await hashPassword("right one"),
    ]);
    const login =
      'login(username: "Carl", password: "right one") { token expiresAt user { username guestCount sshKeys { name } } }';
    const data = await execution.mutate("nobody", login);
    assert.match(
      JSON.stringify(data),
      /^\{"it":\{"token":"drs_[\w-]{43}","expiresAt":"[\d-]+T[\d:.]+Z","user":\{"username":"carl","guestCount":40,"sshKeys":\[\{"name":"laptop"\}\]\}\}\}$/,
    );
    assert.equal(
      (await execution.refuseMutation("nobody", 'login(username: "carl", password: "wrong") { token }')).kind,
      "unauthenticated",
    );
    assert.equal((await execution.refuseMutation("nobody", "logout")).kind, "unauthenticated");
    assert.deepEqual(await execution.mutate("plain", "logout"), { it: false });
    assert.deepEqual(await execution.mutate("customer", "logout"), { it: true });
  });

  it("makes users with a password that works, and deletes them", async () => {
    const data = await execution.mutate(
      "reseller",
      'createUser(email: "eve@example.com", username: "eve", userId: "crm-9") { password user { id username userId role } }',
    );
    const { it: made } = z.object({ it: z.object({ password: z.string(), user: z.unknown() }) }).parse(data);
    assert.deepEqual(made.user, { id: 5, username: "eve", userId: "crm-9", role: "CUSTOMER" });
    const [stored] = z
      .tuple([z.object({ hash: z.string() })])
      .parse(await execution.rows("select password_hash as hash from user_account where id = 5"));
    assert.ok(await verifyPassword(made.password, stored.hash));
    assert.deepEqual(await execution.mutate("reseller", "deleteUser(id: 5)"), { it: true });
    assert.equal((await execution.refuseMutation("reseller", "deleteUser(id: 4)")).kind, "notFound");
  });

  it("stores and removes SSH keys", async () => {
    const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl eve@home";
    const added = await execution.mutate(
      "customer",
      `addSshKey(userId: 3, name: "home", publicKey: "${key}") { id name fingerprint }`,
    );
    assert.deepEqual(added, {
      it: { id: 2, name: "home", fingerprint: "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU" },
    });
    assert.deepEqual(await execution.mutate("customer", "removeSshKey(id: 2)"), { it: true });
  });

  it("makes and revokes API tokens", async () => {
    const made = await execution.mutate(
      "manager",
      'createApiToken(input: { name: "ci", connectionScope: [2], rateLimit: 5 }) { value token { id name prefix status connectionScope rateLimit madeBy { name } } }',
    );
    assert.match(
      JSON.stringify(made),
      /"value":"drv_[\w-]{43}","token":\{"id":4,"name":"ci","prefix":"drv_[\w-]{6}","status":"active","connectionScope":\[2\],"rateLimit":5,"madeBy":\{"name":"manager"\}\}/,
    );
    assert.deepEqual(await execution.mutate("manager", "revokeApiToken(id: 4) { status }"), {
      it: { status: "revoked" },
    });
  });

  it("replaces a reseller's nodes of one host, and leaves those of others", async () => {
    await execution.mutate("manager", 'assignNodesToReseller(userId: 2, hostId: 1, nodes: ["a1"]) { id }');
    await execution.mutate("manager", 'assignNodesToReseller(userId: 2, hostId: 2, nodes: ["b2"]) { id }');
    assert.deepEqual(
      await execution.data(
        "reseller",
        "{ a: nodes(hostId: 1) { items { name } } b: nodes(hostId: 2) { items { name } } }",
      ),
      {
        a: { items: [{ name: "a1" }] },
        b: { items: [{ name: "b2" }] },
      },
    );
    const unknown = await execution.refuseMutation(
      "manager",
      'assignNodesToReseller(userId: 2, hostId: 2, nodes: ["b1", "b9"]) { id }',
    );
    assert.deepEqual(unknown.fields, [{ field: "nodes", message: "are no nodes of the host: b9" }]);
    const nameless = await execution.refuseMutation(
      "manager",
      'assignNodesToReseller(userId: 2, hostId: 2, nodes: [""]) { id }',
    );
    assert.deepEqual(nameless.fields, [{ field: "nodes", message: "are no nodes of the host: " }]);
    assert.equal(
      (await execution.refuseMutation("manager", "assignNodesToReseller(userId: 99, hostId: 2, nodes: []) { id }"))
        .kind,
      "notFound",
    );
    const customer = await execution.refuseMutation(
      "admin",
      "assignNodesToReseller(userId: 3, hostId: 2, nodes: []) { id }",
    );
    assert.deepEqual(customer.fields, [{ field: "user_id", message: "is no reseller" }]);
  });
});
