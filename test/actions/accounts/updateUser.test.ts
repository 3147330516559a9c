// How accounts are changed and disabled, and by whom; and that an admin stays.
import assert from "node:assert/strict";
import { openAccess } from "../../../src/access/authenticate.js";
import { hashPassword } from "../../../src/access/password.js";
import type { Viewer } from "../../../src/access/viewer.js";
import { login } from "../../../src/actions/accounts/session.js";
import { updateUser, type UserUpdate } from "../../../src/actions/accounts/updateUser.js";
import { deleteUser } from "../../../src/actions/accounts/user.js";
import { anonymous, contextOf, managingToken, tokenViewer, userViewer } from "../../support/context.js";
import { meet } from "../../support/meet.js";
import { refusedAs, refusedFields } from "../../support/refusal.js";
import { plant } from "../../support/rows.js";
import { createTestServices, type TestServices } from "../../support/services.js";

describe("actions/updateUser", () => {
  let services: TestServices;
  beforeEach(async () => {
    services = await createTestServices();
    await plant(services.pool, {
      user_account: [
        { username: "boss", role: "admin" },
        { username: "olga", role: "operator" },
        { username: "rita", role: "reseller" },
        { username: "carl", role: "customer", created_by: 3, external_id: "crm-4" },
        { username: "dora", role: "customer" },
      ],
    });
  });
  afterEach(() => services.close());

  const admin = userViewer("admin", 1);
  const update = (viewer: Viewer, id: number, input: UserUpdate) => updateUser(contextOf(services, viewer), id, input);
  const stored = async (id: number) =>
    (
      await services.pool.query(
        `select username, email, external_id as "userId", role, enabled from user_account where id = $1`,
        [id],
      )
    ).rows[0];
  const CARL = { username: "carl", email: "carl@example", userId: "crm-4", role: "customer", enabled: true };

  const changes: readonly (readonly [title: string, input: UserUpdate, changed: object])[] = [
    ["nothing", {}, {}],
    ["nothing when all is null but the own id", { email: null, username: null, role: null, enabled: null }, {}],
    ["the e-mail address", { email: " new@example.com " }, { email: "new@example.com" }],
    ["the spelling of the login name", { username: "CARL" }, { username: "CARL" }],
    ["the own id", { userId: "crm-5" }, { userId: "crm-5" }],
    ["the own id to none", { userId: null }, { userId: null }],
    ["a blank own id to none", { userId: " " }, { userId: null }],
    ["the role", { role: "reseller" }, { role: "reseller" }],
    ["whether the person may come in", { enabled: false }, { enabled: false }],
    [
      "everything at once",
      { email: "n@x", username: "n", userId: "1", role: "operator", enabled: false },
      { email: "n@x", username: "n", userId: "1", role: "operator", enabled: false },
    ],
  ];
  for (const [title, input, changed] of changes) {
    it(`changes ${title}`, async () => {
      await update(admin, 4, input);
      assert.deepEqual(await stored(4), { ...CARL, ...changed });
      assert.equal((await stored(5)).username, "dora");
    });
  }

  const refusals: readonly (readonly [title: string, input: UserUpdate, fields: readonly string[]])[] = [
    ["an e-mail without @", { email: "carl" }, ["email"]],
    ["a blank login name", { username: " " }, ["username"]],
    ["everything malformed", { email: "", username: "a b", userId: "\u0007" }, ["email", "username", "user_id"]],
    ["another's e-mail, whatever its case", { email: "DORA@example" }, ["email"]],
    ["another's login name, whatever its case", { username: "Dora" }, ["username"]],
    ["both of another", { email: "dora@example", username: "boss" }, ["email", "username"]],
  ];
  for (const [title, input, fields] of refusals) {
    it(`refuses ${title}, and changes nothing`, async () => {
      await refusedFields(fields, update(admin, 4, { ...input, enabled: false }));
      assert.deepEqual(await stored(4), CARL);
    });
  }

  const reach: readonly (readonly [who: string, viewer: Viewer, ids: readonly number[]])[] = [
    ["an admin", admin, [1, 2, 3, 4, 5]],
    ["an operator", userViewer("operator", 2), [2, 3, 4, 5]],
    ["a reseller", userViewer("reseller", 3), [3, 4]],
    ["a customer", userViewer("customer", 4), []],
    ["a token", tokenViewer(), [3, 4, 5]],
    ["a token that manages hosts", managingToken(), [3, 4, 5]],
    ["a token of bounded scope", managingToken([1]), [4]],
    ["nobody", anonymous, []],
  ];
  for (const [who, viewer, ids] of reach) {
    it(`lets ${who} change ${ids.length === 0 ? "nobody" : ids.join(", ")}`, async () => {
      await plant(services.pool, { host: [{}, { name: "beta" }], node: [{ host_id: 2 }] });
      await plant(services.pool, { guest: [{ host_id: 2, owner_id: 5 }] });
      for (const id of [1, 2, 3, 4, 5]) {
        const outcome = await update(viewer, id, { email: `${id}@changed` }).catch(({ kind }) => kind);
        assert.equal(outcome === undefined, ids.includes(id), `${id}: ${outcome}`);
        assert.equal((await stored(id)).email === `${id}@changed`, ids.includes(id));
      }
    });
  }

  it("lets nobody raise themselves, or others above what they may grant", async () => {
    await refusedAs("forbidden", update(userViewer("operator", 2), 2, { role: "admin" }));
    await refusedAs("forbidden", update(userViewer("operator", 2), 4, { role: "operator" }));
    await refusedAs("forbidden", update(userViewer("operator", 2), 1, { email: "x@x" }));
    await refusedAs("forbidden", update(userViewer("reseller", 3), 4, { role: "reseller" }));
    await refusedAs("forbidden", update(managingToken(), 4, { role: "reseller" }));
    await update(managingToken(), 4, { role: "customer" });
    await update(userViewer("operator", 2), 4, { role: "reseller" });
    await update(userViewer("operator", 2), 2, { role: "operator", email: "olga@new" });
    assert.deepEqual([(await stored(2)).role, (await stored(4)).role], ["operator", "reseller"]);
  });

  it("keeps the last admin who can sign in", async () => {
    for (const input of [{ enabled: false }, { role: "operator" }] as const) {
      const refusal = await refusedAs("conflict", update(admin, 1, input));
      assert.equal(refusal.reason, "LAST_ADMIN");
    }
    await update(admin, 1, { email: "boss@new" });
    await update(admin, 2, { role: "admin", enabled: false });
    // One who is disabled cannot sign in.
    assert.equal((await refusedAs("conflict", update(admin, 1, { role: "operator" }))).reason, "LAST_ADMIN");
    await update(admin, 2, { enabled: true });
    assert.equal((await refusedAs("conflict", update(admin, 1, { enabled: false }))).reason, "OWN_ACCOUNT");
    await update(admin, 1, { role: "operator" });
    const olga = userViewer("admin", 2);
    assert.equal((await refusedAs("conflict", update(olga, 2, { enabled: false }))).reason, "LAST_ADMIN");
    assert.deepEqual((await stored(2)).role, "admin");
  });

  it("keeps one of two admins who remove each other at the same moment", async () => {
    const removals: readonly ((by: Viewer, id: number) => Promise<void>)[] = [
      (by, id) => update(by, id, { enabled: false }),
      (by, id) => update(by, id, { role: "customer" }),
      (by, id) => deleteUser(contextOf(services, by), id),
    ];
    for (const [index, remove] of removals.entries()) {
      const { rows } = await services.pool.query<{ id: number }>(
        `insert into user_account (email, username, role, password_hash)
         select 'pair' || n || '@x', 'pair' || n, 'admin', '' from generate_series($1::int, $1 + 1) n returning id`,
        [10 * index],
      );
      const [one = 0, other = 0] = rows.map(({ id }) => id);
      await services.pool.query("update user_account set role = 'customer' where not id = any($1)", [[one, other]]);
      const outcomes = await meet(
        services.pool,
        (holder) => holder.query("select from user_account where id = any($1) for update", [[one, other]]),
        [() => remove(userViewer("admin", one), other), () => remove(userViewer("admin", other), one)],
      );
      const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason.reason] : []));
      assert.deepEqual(refused, ["LAST_ADMIN"]);
      const left = await services.pool.query("select from user_account where role = 'admin' and enabled");
      assert.equal(left.rowCount, 1);
    }
  });

  it("changes nobody who becomes an admin meanwhile, and keeps the last one", async () => {
    const promoted =
      "update user_account set role = case id when 4 then 'admin' else 'customer' end where id in (1, 4)";
    const [byOperator, byAdmin, deleted] = await meet(services.pool, (holder) => holder.query(promoted), [
      () => update(userViewer("operator", 2), 4, { enabled: false }),
      () => update(admin, 4, { enabled: false }),
      () => deleteUser(contextOf(services, admin), 4),
    ]);
    assert.equal(byOperator?.status === "rejected" && byOperator.reason.kind, "forbidden");
    assert.equal(byAdmin?.status === "rejected" && byAdmin.reason.reason, "LAST_ADMIN");
    assert.equal(deleted?.status === "rejected" && deleted.reason.reason, "LAST_ADMIN");
    assert.equal((await stored(4)).enabled, true);
  });

  it("keeps a disabled user out until enabled again, with what is open", async () => {
    const password = "correct horse";
    await services.pool.query("update user_account set password_hash = $1 where id = 4", [
      await hashPassword(password),
    ]);
    const signIn = () => login(contextOf(services, anonymous), { username: "carl", password });
    const { token } = await signIn();
    const access = openAccess(services);
    const isIn = async () =>
      (await access.authenticate({ authorization: `Bearer ${token}`, sourceIp: "::1" }, ["session"])).admitted;
    assert.equal(await isIn(), true);
    await update(admin, 4, { enabled: false });
    assert.equal(await isIn(), false);
    assert.equal((await refusedAs("unauthenticated", signIn())).reason, "ACCOUNT_DISABLED");
    const wrong = login(contextOf(services, anonymous), { username: "carl", password: "wrong" });
    assert.equal((await refusedAs("unauthenticated", wrong)).reason, undefined);
    await update(admin, 4, { enabled: true });
    assert.equal(await isIn(), true);
    await signIn();
    await access.close();
  });

  it("does not find who is not there", async () => {
    await refusedAs("notFound", update(admin, 99, {}));
    await refusedAs("notFound", update(userViewer("reseller", 3), 5, {}));
  });
});
