// Tests signing in and out: what a session is, and how guessing passwords is slowed down.
import assert from "node:assert/strict";
import { argon2 } from "node:crypto";
import { promisify } from "node:util";
import { openAccess } from "../../../src/access/authenticate.js";
import { attemptLogin } from "../../../src/access/loginAttempts.js";
import { hashPassword } from "../../../src/access/password.js";
import { logout } from "../../../src/actions/accounts/endSession.js";
import { login } from "../../../src/actions/accounts/session.js";
import { DroverError } from "../../../src/errors/errors.js";
import { anonymous, contextOf, managingToken } from "../../support/context.js";
import { refusedAs } from "../../support/refusal.js";
import { plant } from "../../support/rows.js";
import { countStatements } from "../../support/statements.js";
import { createTestServices, type TestServices } from "../../support/services.js";

const PASSWORD = "correct horse";
const tooMany = () => Promise.reject(new DroverError("unavailable", "Too many passwords at once"));

describe("actions/session", () => {
  let present: Date;
  const clock = { offsetSeconds: 0, now: () => present };
  let services: TestServices;
  beforeEach(async () => {
    present = new Date("2026-11-21T12:00:10Z");
    services = await createTestServices({ clock });
    await services.pool.query(
      `insert into user_account (email, username, role, password_hash) values ('a@x', 'Ann', 'operator', $1), ('b@x', 'Bob', 'customer', $1)`,
      [await hashPassword(PASSWORD)],
    );
  });
  afterEach(() => services.close());

  const attempt = (username: string, password: string, sourceIp = "203.0.113.5") =>
    login({ ...contextOf(services, anonymous), sourceIp }, { username, password });
  const fail = (username: string, sourceIp?: string) =>
    refusedAs("unauthenticated", attempt(username, "wrong", sourceIp));

  it("opens a session of 12 hours, whatever the case of the name; the token is not stored", async () => {
    const session = await attempt("aNN", PASSWORD);
    assert.equal(session.expiresAt.toISOString(), "2026-11-22T00:00:10.000Z");
    assert.equal(session.userId, 1);
    const { rows } = await services.pool.query("select token_hash from session");
    assert.equal(rows.length, 1);
    assert.ok(session.token !== null && !rows[0].token_hash.includes(session.token.slice(4)));
  });

  it("keeps from where it was opened, by which program, and when it was last used", async () => {
    const context = { ...contextOf(services, anonymous), userAgent: "Mozilla/5.0" };
    const { token } = await login(context, { username: "ann", password: PASSWORD });
    const stored = async () =>
      (await services.pool.query("select source_ip, user_agent, kind, created_at, last_used_at from session")).rows;
    const opened = { user_agent: "Mozilla/5.0", kind: "bearer", created_at: present };
    assert.deepEqual(await stored(), [{ ...opened, source_ip: "203.0.113.5", last_used_at: present }]);
    present = new Date("2026-11-21T13:00:00Z");
    const access = openAccess(services);
    await access.authenticate({ authorization: `Bearer ${token}`, sourceIp: "192.0.2.9" }, ["session"]);
    await access.close();
    const later = { source_ip: "192.0.2.9", last_used_at: present };
    assert.deepEqual(await stored(), [{ ...opened, ...later }]);
  });

  it("hashes a password again that was hashed at a lower cost, whoever signs in at the same moment", async () => {
    await services.pool.query("update user_account set password_hash = $1 where id = 1", [await cheapHash(PASSWORD)]);
    const stored = async () =>
      (await services.pool.query("select password_hash as hash from user_account where id = 1")).rows[0].hash;
    const cheap = await stored();
    await fail("ann");
    assert.equal(await stored(), cheap);
    await Promise.all([1, 2, 3, 4].map((index) => attempt("ann", PASSWORD, `198.51.100.${index}`)));
    const hashed = await stored();
    assert.match(hashed, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    await attempt("ann", PASSWORD);
    assert.equal(await stored(), hashed);
    assert.equal((await services.pool.query("select from session")).rowCount, 5);
  });

  it("ends with logout, at once", async () => {
    const access = openAccess(services);
    const { token } = await attempt("ann", PASSWORD);
    const arrival = { authorization: `Bearer ${token}`, sourceIp: "::1" };
    const admission = await access.authenticate(arrival, ["session"]);
    assert.ok(admission.admitted);
    assert.equal(await logout(contextOf(services, admission.viewer)), true);
    assert.equal((await access.authenticate(arrival, ["session"])).admitted, false);
    assert.equal(await logout(contextOf(services, managingToken())), false);
    await access.close();
  });

  it("reports the same for an unknown user and for a wrong password", async () => {
    assert.equal((await fail("nobody")).message, (await fail("ann")).message);
  });

  it("refuses any text that is no name of a user in the same way", async () => {
    for (const name of ["", "\0", "\ud800", "x".repeat(100_000), "' or 1=1 --"]) await fail(name);
  });

  it("refuses the sixth password a minute for an account, from wherever, even the right one", async () => {
    for (let index = 0; index < 5; index++) await fail("ann", `203.0.113.${index}`);
    const refusal = await refusedAs("rateLimited", attempt("ANN", PASSWORD, "198.51.100.1"));
    assert.equal(refusal.retryAfterSeconds, 50);
    // What was not tried does not count for the address either.
    for (let index = 0; index < 5; index++) await refusedAs("rateLimited", attempt("ann", "wrong", "198.51.100.1"));
    assert.equal((await attempt("bob", PASSWORD, "198.51.100.1")).userId, 2);
    present = new Date("2026-11-21T12:01:00Z");
    assert.equal((await attempt("ann", PASSWORD)).userId, 1);
  });

  it("refuses the sixth password a minute from an address, for whatever account", async () => {
    for (let index = 0; index < 5; index++) await fail(`user${index}`);
    await refusedAs("rateLimited", attempt("ann", PASSWORD));
    assert.equal((await attempt("ann", PASSWORD, "198.51.100.1")).userId, 1);
  });

  it("asks the database one question about an address without an attempt left, until the minute ends", async () => {
    for (let index = 0; index < 5; index++) await fail(`user${index}`);
    await refusedAs("rateLimited", attempt("ann", PASSWORD));
    const statements = await countStatements(async () => {
      for (let index = 0; index < 5; index++) await refusedAs("rateLimited", attempt("ann", PASSWORD));
    });
    // Each asks whether the account is known there, and no more.
    assert.equal(statements, 5);
    present = new Date("2026-11-21T12:01:00Z");
    assert.equal((await attempt("ann", PASSWORD)).userId, 1);
  });

  it("keeps no counts of minutes that are long over", async () => {
    await fail("ann");
    present = new Date("2026-11-21T12:02:00Z");
    await fail("bob");
    const { rows } = await services.pool.query(`select distinct window_start as at from rate_window`);
    assert.deepEqual(rows, [{ at: present }]);
  });

  it("counts every spelling that finds an account as that account", async () => {
    await services.pool.query("update user_account set username = 'Kim' where id = 1");
    // The dotted capital I is an i in lower case as PostgreSQL has it, and an i with a dot above as JavaScript has it.
    for (const [index, spelling] of ["kim", "kİm", "\u212aim", "KIM", "k\u0130m"].entries()) {
      await fail(spelling, `203.0.113.${index}`);
    }
    await refusedAs("rateLimited", attempt("kim", PASSWORD, "198.51.100.1"));
  });

  it("does not count right passwords", async () => {
    for (let index = 0; index < 4; index++) await fail("ann");
    // Each from where it was never used before.
    for (let index = 0; index < 6; index++) await attempt("ann", PASSWORD, `198.51.100.${index}`);
    await fail("ann");
    await refusedAs("rateLimited", attempt("ann", PASSWORD));
  });

  it("keeps nobody out where they have signed in lately, whatever strangers try", async () => {
    await attempt("Ann", PASSWORD);
    for (let index = 0; index < 5; index++) await fail("ann", `198.51.100.${index}`);
    await refusedAs("rateLimited", attempt("ann", PASSWORD, "192.0.2.1"));
    assert.equal((await attempt("ANN", PASSWORD)).userId, 1);
    for (let index = 0; index < 5; index++) await fail(`user${index}`);
    await refusedAs("rateLimited", attempt("bob", PASSWORD));
    assert.equal((await attempt("ann", PASSWORD)).userId, 1);
  });

  it("counts the wrong passwords for their own account there", async () => {
    await attempt("ann", PASSWORD, "2001:db8::1");
    for (let index = 0; index < 5; index++) await fail("ann", `2001:db8::${index}`);
    await refusedAs("rateLimited", attempt("ann", PASSWORD, "2001:db8::1"));
    present = new Date("2026-11-21T12:01:00Z");
    assert.equal((await attempt("ann", PASSWORD, "2001:db8::1")).userId, 1);
  });

  for (const [what, at, isKnown] of [
    ["within 30 days", "2026-10-22T12:00:11Z", true],
    ["30 days ago", "2026-10-22T12:00:10Z", false],
  ] as const) {
    it(`${isKnown ? "knows" : "does not know"} an address of a sign-in ${what}`, async () => {
      await plant(services.pool, { known_address: [{ last_at: new Date(at) }] });
      for (let index = 0; index < 5; index++) await fail("ann", `198.51.100.${index}`);
      if (isKnown) assert.equal((await attempt("ann", PASSWORD)).userId, 1);
      else await refusedAs("rateLimited", attempt("ann", PASSWORD));
    });
  }

  it("knows no address by a wrong password, or by somebody else's", async () => {
    await fail("ann");
    await attempt("bob", PASSWORD);
    for (let index = 0; index < 4; index++) await fail("ann", `198.51.100.${index}`);
    await refusedAs("rateLimited", attempt("ann", PASSWORD));
  });

  it("answers a wrong password there as for anybody else once an address, or an account, has no attempt left", async () => {
    await attempt("ann", PASSWORD);
    for (let index = 0; index < 5; index++) await fail(`user${index}`);
    const ofKnown = await refusedAs("rateLimited", attempt("ann", "wrong"));
    const ofUnknown = await refusedAs("rateLimited", attempt("nobody", "wrong"));
    assert.deepEqual([ofKnown.message, ofKnown.retryAfterSeconds], [ofUnknown.message, ofUnknown.retryAfterSeconds]);
    assert.equal((await attempt("ann", PASSWORD)).userId, 1);
  });

  it("takes nothing from others while a password is checked there", async () => {
    await plant(services.pool, { known_address: [{ user_id: 1 }] });
    for (let index = 0; index < 4; index++) await fail(`user${index}`);
    const who = { username: "ann", sourceIp: "203.0.113.5" };
    assert.equal((await attemptLogin(services, who, () => attempt("bob", PASSWORD)))?.userId, 2);
  });

  it("counts the right password of a disabled account", async () => {
    await services.pool.query("update user_account set enabled = false where id = 1");
    for (let index = 0; index < 5; index++) {
      const refusal = await refusedAs("unauthenticated", attempt("ann", PASSWORD));
      assert.equal(refusal.reason, "ACCOUNT_DISABLED");
    }
    await refusedAs("rateLimited", attempt("ann", PASSWORD));
    assert.equal((await services.pool.query("select from sign_in")).rowCount, 5);
  });

  it("keeps a thousand sign-ins and sessions of an account, the newest", async () => {
    await services.pool.query(`
      insert into sign_in (user_id, source_ip, outcome) select 1, n::text, 'signed_in' from generate_series(1, 1003) n;
      insert into session (user_id, token_hash, expires_at, last_used_at)
        select 1, n::text, now() + interval '1 year', now() - n * interval '1 minute' from generate_series(1, 1003) n`);
    await attempt("ann", PASSWORD);
    const { rows } = await services.pool.query(`
      select (select count(*)::int from sign_in) as "signIns", (select min(id)::int from sign_in) as oldest,
        (select count(*)::int from session) as sessions,
        (select count(*)::int from session where token_hash in ('999', '1000')) as kept`);
    assert.deepEqual(rows, [{ signIns: 1000, oldest: 5, sessions: 1000, kept: 1 }]);
  });

  it("has in the account's history who signed in from where, and who tried", async () => {
    const history = async () =>
      (
        await services.pool.query(
          `select user_id as "userId", source_ip as ip, outcome, new_address as "isNew" from sign_in order by id`,
        )
      ).rows;
    await attempt("ann", PASSWORD, "2001:db8::1");
    await attempt("ann", PASSWORD, "2001:db8::2");
    await fail("ann", "192.0.2.1");
    await fail("nobody", "192.0.2.1");
    await services.pool.query("update user_account set enabled = false where id = 1");
    await refusedAs("unauthenticated", attempt("ann", PASSWORD, "2001:db8::1"));
    assert.deepEqual(await history(), [
      { userId: 1, ip: "2001:db8::1", outcome: "signed_in", isNew: true },
      { userId: 1, ip: "2001:db8::2", outcome: "signed_in", isNew: false },
      { userId: 1, ip: "192.0.2.1", outcome: "wrong_password", isNew: true },
      { userId: 1, ip: "2001:db8::1", outcome: "account_disabled", isNew: false },
    ]);
  });

  it("does not count passwords that could not be tried", async () => {
    const who = { username: "ann", sourceIp: "203.0.113.5" };
    for (let index = 0; index < 6; index++) await refusedAs("unavailable", attemptLogin(services, who, tooMany));
    assert.equal((await attempt("ann", PASSWORD)).userId, 1);
  });

  it("tries no more than five of many wrong passwords at once", async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => attempt("ann", "wrong")));
    const kinds = outcomes.map((outcome) => (outcome.status === "rejected" ? outcome.reason.kind : "opened"));
    assert.ok(kinds.filter((kind) => kind === "unauthenticated").length <= 5, kinds.join(" "));
    assert.equal(kinds.includes("opened"), false);
  });

  it("takes any number of right passwords at once, from one address and for one account", async () => {
    for (let index = 0; index < 4; index++) await fail("ann");
    const sessions = await Promise.all(Array.from({ length: 12 }, () => attempt("ann", PASSWORD)));
    assert.equal(new Set(sessions.map(({ token }) => token)).size, 12);
  });

  it("counts the addresses of one IPv6 network as one", async () => {
    for (let index = 0; index < 5; index++) await fail(`user${index}`, `2001:db8::${index}`);
    await refusedAs("rateLimited", attempt("ann", PASSWORD, "2001:db8::ffff"));
    assert.equal((await attempt("ann", PASSWORD, "2001:db8:0:1::1")).userId, 1);
  });

  it("opens sessions for others while one address tries hundreds of wrong passwords", async () => {
    const flood = Array.from({ length: 250 }, (_, index) => attempt(`user${index}`, "wrong", "203.0.113.9"));
    const settled = Promise.allSettled(flood);
    assert.equal((await attempt("ann", PASSWORD, "198.51.100.1")).userId, 1);
    const kinds = (await settled).map((outcome) => (outcome.status === "rejected" ? outcome.reason.kind : "opened"));
    assert.equal(kinds.includes("opened"), false);
    const tried = kinds.filter((kind) => kind === "unauthenticated").length;
    assert.ok(tried <= 5, `${tried} passwords of the address were tried`);
  });

  it("forgets sessions of the same user that are over", async () => {
    await attempt("ann", PASSWORD);
    present = new Date("2026-11-22T12:00:00Z");
    await attempt("ann", PASSWORD);
    assert.equal((await services.pool.query("select from session")).rowCount, 1);
  });
});

/** As it was stored when hashes cost less. */
async function cheapHash(password: string): Promise<string> {
  const cost = { memory: 8192, passes: 1, parallelism: 1, tagLength: 32 };
  const nonce = Buffer.from("somesalt");
  const hash = await promisify(argon2)("argon2id", { message: password, nonce, ...cost });
  return `$argon2id$v=19$m=8192,t=1,p=1$${unpadded(nonce)}$${unpadded(hash)}`;
}

const unpadded = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");
