// Tests how long sessions last, by what was asked for, by the settings, and by their use.
import assert from "node:assert/strict";
import { openAccess } from "../../../src/access/authenticate.js";
import { hashPassword } from "../../../src/access/password.js";
import { anonymous } from "../../../src/access/viewer.js";
import { login } from "../../../src/actions/accounts/session.js";
import { updateSettings } from "../../../src/actions/setting.js";
import type { Clock } from "../../../src/concurrency/clock.js";
import { UserRole } from "../../../src/core/enums.js";
import { deleteExpired } from "../../../src/store/session.js";
import { contextOf, managingToken, signedIn } from "../../support/context.js";
import { createTestServices, type TestServices } from "../../support/services.js";

const PASSWORD = "correct horse battery";
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** A use may be stored so much later. */
const GRACE_MS = 10_000;

describe("actions/accounts: the life of a session", () => {
  let present: number;
  const clock: Clock = { now: () => new Date(present), offsetSeconds: 0 };
  let services: TestServices;

  beforeEach(async () => {
    present = Date.parse("2026-11-21T12:00:00Z");
    services = await createTestServices({ clock });
    await services.pool.query(
      "insert into user_account (email, username, role, password_hash) values ('a@x', 'ann', 'admin', $1)",
      [await hashPassword(PASSWORD)],
    );
  });
  afterEach(() => services.close());

  const signIn = (remember?: boolean) =>
    login(contextOf(services, anonymous), {
      username: "ann",
      password: PASSWORD,
      ...(remember !== undefined && { remember }),
    });
  const set = (input: Parameters<typeof updateSettings>[1]) =>
    updateSettings(contextOf(services, managingToken()), input);
  /** Whether a session's token is admitted now, by a process that remembers nothing of before; its use is stored. */
  const isIn = async (token: string | null): Promise<boolean> => {
    const access = openAccess(services);
    const arrival = { authorization: `Bearer ${token}`, sourceIp: "203.0.113.5" };
    const { admitted } = await access.authenticate(arrival, ["session"]);
    await access.close();
    return admitted;
  };
  const stored = async () => (await services.pool.query("select from session")).rowCount;
  const pass = (milliseconds: number): void => void (present += milliseconds);

  it("lasts 12 hours, or 30 days where that was asked for", async () => {
    assert.equal((await signIn()).expiresAt.getTime(), present + 12 * HOUR_MS);
    assert.equal((await signIn(false)).expiresAt.getTime(), present + 12 * HOUR_MS);
    assert.equal((await signIn(true)).expiresAt.getTime(), present + 30 * DAY_MS);
  });

  it("lasts as the settings say when it begins", async () => {
    const before = await signIn();
    await set({ sessionHours: 1, rememberedSessionDays: 2 });
    assert.equal((await signIn()).expiresAt.getTime(), present + HOUR_MS);
    assert.equal((await signIn(true)).expiresAt.getTime(), present + 2 * DAY_MS);
    pass(11 * HOUR_MS);
    assert.equal(await isIn(before.token), true);
    pass(2 * HOUR_MS);
    assert.equal(await isIn(before.token), false);
  });

  it("ends for want of use, and not while it is used", async () => {
    await set({ sessionIdleMinutes: 5 });
    const used = await signIn();
    const idle = await signIn();
    for (let minutes = 0; minutes < 12; minutes += 4) {
      pass(4 * MINUTE_MS);
      assert.equal(await isIn(used.token), true);
    }
    assert.equal(await isIn(idle.token), false);
    pass(5 * MINUTE_MS + GRACE_MS);
    assert.equal(await isIn(used.token), false);
  });

  it("goes on after a use right before its end that is not stored yet", async () => {
    await set({ sessionIdleMinutes: 5 });
    const { token } = await signIn();
    pass(5 * MINUTE_MS - 1000);
    const access = openAccess(services);
    const arrival = { authorization: `Bearer ${token}`, sourceIp: "203.0.113.5" };
    assert.equal((await access.authenticate(arrival, ["session"])).admitted, true);
    pass(2000);
    assert.equal(await isIn(token), true);
    await access.close();
  });

  it("is used by a connection that stays open", async () => {
    const { token } = await signIn();
    pass(HOUR_MS);
    const access = openAccess(services);
    await access.identify({ authorization: `Bearer ${token}`, sourceIp: "192.0.2.9" }, ["session"]);
    await access.close();
    const { rows } = await services.pool.query("select last_used_at, source_ip from session");
    assert.deepEqual(rows, [{ last_used_at: clock.now(), source_ip: "192.0.2.9" }]);
  });

  it("goes on for who shortens the time without use in it", async () => {
    const { token, userId } = await signIn();
    const { rows } = await services.pool.query("select id from session");
    pass(HOUR_MS);
    const viewer = signedIn({ role: UserRole.ADMIN, userId, username: "ann", sessionId: rows[0].id });
    await updateSettings(contextOf(services, viewer), { sessionIdleMinutes: 5 });
    assert.equal(await isIn(token), true);
  });

  it("stays ended when sessions may be unused for longer, or for ever, from then on", async () => {
    await set({ sessionIdleMinutes: 5 });
    const { token } = await signIn();
    pass(6 * MINUTE_MS);
    await set({ sessionIdleMinutes: null });
    assert.equal(await isIn(token), false);
    assert.equal(await stored(), 0);
  });

  it("ends at once where it has been unused for longer than may be from now on", async () => {
    const { token } = await signIn();
    pass(HOUR_MS);
    await set({ sessionIdleMinutes: 30 });
    assert.equal(await isIn(token), false);
  });

  it("counts of a session of before such uses were noted from its beginning", async () => {
    const { token } = await signIn();
    await services.pool.query("update session set last_used_at = null");
    await set({ sessionIdleMinutes: 10 });
    pass(9 * MINUTE_MS);
    assert.equal(await isIn(token), true);
    await services.pool.query("update session set last_used_at = null");
    pass(2 * MINUTE_MS);
    assert.equal(await isIn(token), false);
  });

  it("is deleted once it has ended, in either way", async () => {
    await set({ sessionIdleMinutes: 60 });
    await signIn();
    pass(59 * MINUTE_MS);
    await signIn(true);
    await deleteExpired(services.pool, clock.now());
    assert.equal(await stored(), 2);
    pass(2 * MINUTE_MS);
    await deleteExpired(services.pool, clock.now());
    assert.equal(await stored(), 1);
    await set({ sessionIdleMinutes: null });
    pass(31 * DAY_MS);
    await deleteExpired(services.pool, clock.now());
    assert.equal(await stored(), 0);
  });
});
