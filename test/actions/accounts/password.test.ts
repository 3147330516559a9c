// How passwords are changed and reset, by whom, and what that ends.
import assert from "node:assert/strict";
import type { PoolClient } from "pg";
import { hashPassword, verifyPassword } from "../../../src/access/password.js";
import type { Viewer } from "../../../src/access/viewer.js";
import { changePassword, resetPassword } from "../../../src/actions/accounts/password.js";
import { login } from "../../../src/actions/accounts/session.js";
import { anonymous, contextOf, managingToken, signedIn, tokenViewer, userViewer } from "../../support/context.js";
import { refusedAs, refusedFields } from "../../support/refusal.js";
import { meet } from "../../support/meet.js";
import { plant } from "../../support/rows.js";
import { createTestServices, fixedClock, type TestServices } from "../../support/services.js";

const OLD = "correct horse";
const NEW = "battery staple";
const LATER = new Date("2026-11-22T00:00:00Z");
/** Users who are signed in, a session each. */
const SESSIONS = [1, 2, 3, 4, 4, 4];

describe("actions/password", () => {
  let services: TestServices;
  let oldHash: string;
  before(async () => {
    oldHash = await hashPassword(OLD);
  });
  beforeEach(async () => {
    services = await createTestServices({ clock: fixedClock(new Date("2026-11-21T12:00:10Z")) });
    await plant(services.pool, {
      user_account: [
        { username: "boss", role: "admin", password_hash: oldHash },
        { username: "olga", role: "operator", password_hash: oldHash },
        { username: "rita", role: "reseller", password_hash: oldHash },
        { username: "carl", role: "customer", created_by: 3, password_hash: oldHash },
        { username: "dora", role: "customer", password_hash: oldHash },
      ],
      session: SESSIONS.map((user_id, index) => ({ user_id, token_hash: `s${index + 1}`, expires_at: LATER })),
    });
  });
  afterEach(() => services.close());

  const as = (viewer: Viewer) => contextOf(services, viewer);
  /** Carl, in the second of his three sessions. */
  const carl = signedIn({ role: "customer", userId: 4, username: "carl", sessionId: 5 });
  const change = (current: string, next: string, viewer: Viewer = carl) =>
    changePassword(as(viewer), { current, next });
  const passwordOf = async (id: number): Promise<string> =>
    (await services.pool.query("select password_hash as hash from user_account where id = $1", [id])).rows[0].hash;
  const sessionsOf = async (userId: number): Promise<number[]> =>
    (await services.pool.query("select id from session where user_id = $1 order by id", [userId])).rows.map(
      ({ id }) => id,
    );
  const signIn = (username: string, password: string) => login(as(anonymous), { username, password });

  it("changes one's own password, and ends the other sessions", async () => {
    await change(OLD, NEW);
    assert.deepEqual(await sessionsOf(4), [5]);
    assert.deepEqual(await sessionsOf(3), [3]);
    await refusedAs("unauthenticated", signIn("carl", OLD));
    assert.equal((await signIn("carl", NEW)).userId, 4);
  });

  it("refuses a wrong present password, and changes nothing", async () => {
    const refusal = await refusedAs("unauthenticated", change("wrong", NEW));
    assert.equal(refusal.reason, "WRONG_PASSWORD");
    assert.equal(await passwordOf(4), oldHash);
    assert.deepEqual(await sessionsOf(4), [4, 5, 6]);
  });

  it("counts wrong ones together with those of sign-in", async () => {
    for (let index = 0; index < 3; index++) await refusedAs("unauthenticated", change("wrong", NEW));
    for (let index = 0; index < 2; index++) await refusedAs("unauthenticated", signIn("carl", "wrong"));
    await refusedAs("rateLimited", change(OLD, NEW));
    await refusedAs("rateLimited", signIn("carl", OLD));
  });

  for (const [title, next] of [
    ["a short one", "too short"],
    ["the e-mail address", "carl@example"],
    ["one of the most used", "Password123"],
  ] as const) {
    it(`refuses ${title}`, async () => {
      await refusedFields(["new"], change(OLD, next));
      assert.equal(await passwordOf(4), oldHash);
    });
  }

  it("makes one of two changes at the same moment", async () => {
    const done = await Promise.allSettled([change(OLD, NEW), change(OLD, "another staple")]);
    const kinds = done.map((one) => (one.status === "fulfilled" ? "changed" : one.reason.kind));
    assert.equal(kinds.filter((kind) => kind === "changed").length, 1, kinds.join(" "));
    assert.ok(
      kinds.some((kind) => kind === "conflict" || kind === "unauthenticated"),
      kinds.join(" "),
    );
  });

  it("lets no session in that a password opens which is changed meanwhile", async () => {
    const changed = "update user_account set password_hash = $1 where id = 4";
    const newHash = await hashPassword(NEW);
    const hold = (holder: PoolClient) => holder.query(changed, [newHash]);
    const [opened] = await meet(services.pool, hold, [() => signIn("carl", OLD)]);
    assert.equal(opened?.status === "rejected" && opened.reason.kind, "unauthenticated");
    assert.deepEqual(await sessionsOf(4), [4, 5, 6]);
  });

  it("is for people alone", async () => {
    await refusedAs("forbidden", change(OLD, NEW, managingToken()));
    await refusedAs("unauthenticated", change(OLD, NEW, anonymous));
  });

  const resets: readonly (readonly [who: string, viewer: Viewer, ids: readonly number[]])[] = [
    ["an admin", userViewer("admin", 1), [2, 3, 4, 5]],
    ["an operator", userViewer("operator", 2), [3, 4, 5]],
    ["a reseller", userViewer("reseller", 3), [4]],
    ["a customer", carl, []],
    ["a token", tokenViewer(), [3, 4, 5]],
    ["a token that manages hosts", managingToken(), [3, 4, 5]],
    ["a token of bounded scope", managingToken([1]), [4]],
    ["nobody", anonymous, []],
  ];
  for (const [who, viewer, ids] of resets) {
    it(`lets ${who} reset the passwords of ${ids.length === 0 ? "nobody" : ids.join(", ")}`, async () => {
      await plant(services.pool, { host: [{}, { name: "beta" }], node: [{ host_id: 2 }] });
      await plant(services.pool, { guest: [{ host_id: 2, owner_id: 5 }] });
      for (const id of [1, 2, 3, 4, 5]) {
        const reset = await resetPassword(as(viewer), id).catch((error: unknown) => error);
        const works = typeof reset === "string" && (await verifyPassword(reset, await passwordOf(id)));
        assert.equal(works, ids.includes(id), `${id}: ${String(reset)}`);
        const left = ids.includes(id) ? [] : SESSIONS.flatMap((userId, index) => (userId === id ? [index + 1] : []));
        assert.deepEqual(await sessionsOf(id), left);
      }
    });
  }

  it("gives no operator the password of somebody who becomes an admin meanwhile", async () => {
    const promoted = "update user_account set role = 'admin' where id = 4";
    const [reset] = await meet(services.pool, (holder) => holder.query(promoted), [
      () => resetPassword(as(userViewer("operator", 2)), 4),
    ]);
    assert.equal(reset?.status === "rejected" && reset.reason.kind, "forbidden");
    assert.equal(await passwordOf(4), oldHash);
    assert.deepEqual(await sessionsOf(4), [4, 5, 6]);
  });

  it("leaves one's own to who knows it", async () => {
    const refusal = await refusedAs("conflict", resetPassword(as(userViewer("admin", 1)), 1));
    assert.equal(refusal.reason, "OWN_ACCOUNT");
    await refusedAs("notFound", resetPassword(as(userViewer("admin", 1)), 99));
  });
});
