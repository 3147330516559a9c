// Sessions, users, keys and tokens over the whole way from the document to the database.
import assert from "node:assert/strict";
import { z } from "zod";
import { hashPassword, verifyPassword } from "../../src/access/password.js";
import { fromNow, plant } from "../support/rows.js";
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

  it("lists sessions that have not ended, the one used last first, and ends them", async () => {
    const { pool } = execution.services;
    await pool.query("delete from session");
    await plant(pool, {
      session: [
        { user_id: 3, token_hash: "never used" },
        { user_id: 3, token_hash: "used", last_used_at: fromNow(-60), source_ip: "192.0.2.1", user_agent: "curl/8" },
        { user_id: 3, token_hash: "used later", last_used_at: fromNow(-30), kind: "cookie" },
        { user_id: 3, token_hash: "over", expires_at: fromNow(-1) },
        { user_id: 2, token_hash: "of the reseller" },
      ],
    });
    const [first] = z
      .tuple([z.object({ id: z.number() })])
      .parse(await execution.rows("select id from session where token_hash = 'never used'"));
    const query = "{ sessions(userId: 3) { id sourceIp userAgent kind current } }";
    const listed = [
      { id: first.id + 2, sourceIp: null, userAgent: null, kind: "COOKIE", current: false },
      { id: first.id + 1, sourceIp: "192.0.2.1", userAgent: "curl/8", kind: "BEARER", current: false },
      { id: first.id, sourceIp: null, userAgent: null, kind: "BEARER", current: false },
    ];
    for (const caller of ["customer", "reseller", "plain", "admin"] as const)
      assert.deepEqual(await execution.data(caller, query), { sessions: listed }, caller);
    assert.deepEqual(await execution.data("customer", "{ sessions { id } }"), {
      sessions: listed.map(({ id }) => ({ id })),
    });
    assert.equal((await execution.refusal("customer", "{ sessions(userId: 2) { id } }")).kind, "forbidden");
    assert.equal((await execution.refusal("plain", "{ sessions { id } }")).kind, "forbidden");
    assert.equal((await execution.refusal("nobody", "{ sessions { id } }")).kind, "unauthenticated");
    assert.deepEqual(await execution.mutate("customer", `endSession(id: ${first.id})`), { it: true });
    assert.deepEqual(await execution.mutate("reseller", "endSessions(userId: 3)"), { it: 3 });
    assert.deepEqual(await execution.data("customer", "{ sessions { id } }"), { sessions: [] });
  });

  it("lists an account's sign-ins, newest first", async () => {
    await plant(execution.services.pool, {
      sign_in: [
        { user_id: 3, new_address: true, user_agent: "curl/8" },
        { user_id: 2 },
        { user_id: 3, outcome: "wrong_password", source_ip: "192.0.2.1" },
      ],
    });
    const query =
      "{ signIns(userId: 3, perPage: 1) { items { sourceIp userAgent outcome newAddress } meta { total } } }";
    const newest = { sourceIp: "192.0.2.1", userAgent: null, outcome: "WRONG_PASSWORD", newAddress: false };
    for (const caller of ["customer", "reseller", "admin"] as const)
      assert.deepEqual(
        await execution.data(caller, query),
        { signIns: { items: [newest], meta: { total: 2 } } },
        caller,
      );
    const own = "{ signIns(page: 2, perPage: 1) { items { userAgent outcome newAddress } } }";
    const first = { userAgent: "curl/8", outcome: "SIGNED_IN", newAddress: true };
    assert.deepEqual(await execution.data("customer", own), { signIns: { items: [first] } });
    assert.equal((await execution.refusal("customer", "{ signIns(userId: 2) { meta { total } } }")).kind, "forbidden");
    assert.equal((await execution.refusal("plain", "{ signIns { meta { total } } }")).kind, "forbidden");
  });

  it("changes accounts, disables them, and resets passwords", async () => {
    assert.deepEqual(
      await execution.mutate(
        "admin",
        'updateUser(id: 3, input: { email: "carl@new.example", userId: null, enabled: false }) { email userId enabled username }',
      ),
      { it: { email: "carl@new.example", userId: null, enabled: false, username: "carl" } },
    );
    const data = await execution.mutate("plain", "resetPassword(userId: 3) { password }");
    const { it: reset } = z.object({ it: z.object({ password: z.string() }) }).parse(data);
    const [stored] = z
      .tuple([z.object({ hash: z.string() })])
      .parse(await execution.rows("select password_hash as hash from user_account where id = 3"));
    assert.ok(await verifyPassword(reset.password, stored.hash));
    assert.equal(
      (await execution.refuseMutation("customer", "resetPassword(userId: 3) { password }")).kind,
      "forbidden",
    );
    const refusal = await execution.refuseMutation("admin", "updateUser(id: 1, input: { role: CUSTOMER }) { id }");
    assert.equal(refusal.reason, "LAST_ADMIN");
  });

  it("changes the own password", async () => {
    const hash = await hashPassword("right one");
    await execution.services.pool.query(
      `update user_account set password_hash = $1, username = 'customer3' where id = 3`,
      [hash],
    );
    assert.equal(
      (await execution.refuseMutation("customer", changeOf("wrong", "a new password"))).kind,
      "unauthenticated",
    );
    const weak = await execution.refuseMutation("customer", changeOf("right one", "short"));
    assert.deepEqual(
      weak.fields.map(({ field }) => field),
      ["new"],
    );
    assert.deepEqual(await execution.mutate("customer", changeOf("right one", "a new password")), { it: true });
    assert.equal((await execution.refuseMutation("plain", changeOf("x", "a new password"))).kind, "forbidden");
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

const changeOf = (current: string, next: string): string => `changePassword(current: "${current}", new: "${next}")`;
