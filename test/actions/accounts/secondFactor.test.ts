// Signing in with a second factor: when it is asked for, which codes count, and how guessing them is slowed down.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { hashPassword } from "../../../src/access/password.js";
import { secretBox } from "../../../src/access/secretBox.js";
import { login } from "../../../src/actions/accounts/session.js";
import { beginTotp, confirmTotp } from "../../../src/actions/accounts/totp.js";
import { rotateSecrets } from "../../../src/actions/secrets/rotateSecrets.js";
import { anonymous, contextOf, signedIn } from "../../support/context.js";
import { refusedAs } from "../../support/refusal.js";
import { plant } from "../../support/rows.js";
import { codeAt, setUpTotp, STEP_MS, type OwnFactors } from "../../support/secondFactor.js";
import { createTestServices, type TestServices } from "../../support/services.js";

const PASSWORD = "correct horse";
const HOME = "203.0.113.5";
const ELSEWHERE = "198.51.100.9";
const MINUTE_MS = 60_000;
const ann = signedIn({ role: "operator", userId: 1, username: "ann", sessionId: 0 });

describe("actions/secondFactor: signing in", () => {
  let passwordHash: string;
  let present: Date;
  let services: TestServices;
  let own: OwnFactors;
  before(async () => {
    passwordHash = await hashPassword(PASSWORD);
  });
  beforeEach(async () => {
    present = new Date("2026-11-21T12:00:10Z");
    services = await createTestServices({ clock: { offsetSeconds: 0, now: () => present } });
    await plant(services.pool, { user_account: [{ username: "ann", role: "operator", password_hash: passwordHash }] });
    own = await setUpTotp(contextOf(services, ann));
    later(STEP_MS);
  });
  afterEach(() => services.close());

  const later = (milliseconds: number): void => void (present = new Date(present.getTime() + milliseconds));
  const shown = (): string => codeAt(own.secret, present);
  /** A code of another time. */
  const wrong = (): string => codeAt(own.secret, new Date(present.getTime() + 10 * STEP_MS));
  const signIn = (code: string | null, { password = PASSWORD, sourceIp = HOME } = {}) =>
    login({ ...contextOf(services, anonymous), sourceIp }, { username: "ann", password, code });
  const outcomes = async (): Promise<string[]> =>
    (await services.pool.query("select outcome from sign_in order by id")).rows.map(({ outcome }) => outcome);
  const recoveryCode = (place: number): string => own.recoveryCodes[place] ?? "";

  it("asks for a code after the right password, names the methods, and opens nothing", async () => {
    for (const code of [null, "", "  "]) {
      const { methods } = await refusedAs("unauthenticated", signIn(code), "SECOND_FACTOR_REQUIRED");
      assert.deepEqual(methods, ["totp", "recovery_code"]);
    }
    const { rows } = await services.pool.query(
      "select (select count(*)::int from session), (select count(*)::int from sign_in) as tries",
    );
    assert.deepEqual(rows, [{ count: 0, tries: 0 }]);
  });

  it("does not count as a wrong password that a code is due", async () => {
    for (let time = 0; time < 7; time++) await refusedAs("unauthenticated", signIn(null), "SECOND_FACTOR_REQUIRED");
    await signIn(shown());
  });

  it("says nothing of second factors without the right password", async () => {
    const withCode = await refusedAs("unauthenticated", signIn(shown(), { password: "wrong horse" }));
    const without = await refusedAs("unauthenticated", signIn(null, { password: "wrong horse" }));
    assert.deepEqual([withCode.reason, withCode.message], [undefined, without.message]);
    await signIn(shown());
  });

  it("takes the code of the present 30 seconds, and of those before and after", async () => {
    later(10 * STEP_MS);
    for (const steps of [-1, 0, 1]) await signIn(codeAt(own.secret, new Date(present.getTime() + steps * STEP_MS)));
  });

  it("takes a code once, and none that is older than one that was used", async () => {
    const earlier = shown();
    later(STEP_MS);
    const code = shown();
    assert.equal((await signIn(code)).userId, 1);
    for (const used of [code, earlier]) await refusedAs("unauthenticated", signIn(used), "WRONG_CODE");
    assert.deepEqual(await outcomes(), ["signed_in", "wrong_code", "wrong_code"]);
    later(STEP_MS);
    await signIn(shown());
  });

  it("takes the code that confirmed the key no more", async () => {
    later(-STEP_MS);
    await refusedAs("unauthenticated", signIn(shown()), "WRONG_CODE");
  });

  it("opens one session for a code that is sent twice at once", async () => {
    const ends = await Promise.allSettled([signIn(shown()), signIn(shown())]);
    assert.deepEqual(ends.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
    assert.equal((await services.pool.query("select 1 from session")).rowCount, 1);
  });

  it("takes each recovery code once, however it is typed, until none is left", async () => {
    await signIn(recoveryCode(0));
    await refusedAs("unauthenticated", signIn(recoveryCode(0)), "WRONG_CODE");
    await signIn(recoveryCode(1).toUpperCase().replaceAll("-", " "));
    for (let place = 2; place < 10; place++) await signIn(recoveryCode(place));
    const { methods } = await refusedAs("unauthenticated", signIn(null), "SECOND_FACTOR_REQUIRED");
    assert.deepEqual(methods, ["totp"]);
    await signIn(shown());
  });

  it("opens one session for a recovery code that is sent twice at once", async () => {
    const ends = await Promise.allSettled([signIn(recoveryCode(0)), signIn(recoveryCode(0))]);
    assert.deepEqual(ends.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
  });

  it("does not take codes of another person", async () => {
    await plant(services.pool, { user_account: [{ username: "bob", role: "customer", password_hash: passwordHash }] });
    const bob = signedIn({ role: "customer", userId: 2, username: "bob", sessionId: 0 });
    const theirs = await setUpTotp(contextOf(services, bob));
    later(STEP_MS);
    await refusedAs("unauthenticated", signIn(codeAt(theirs.secret, present)), "WRONG_CODE");
    await refusedAs("unauthenticated", signIn(theirs.recoveryCodes[0] ?? ""), "WRONG_CODE");
  });

  it("uses up no code where no session is opened for it", async () => {
    await services.pool.query("update user_account set enabled = false");
    await refusedAs("unauthenticated", signIn(recoveryCode(0)), "ACCOUNT_DISABLED");
    await services.pool.query("update user_account set enabled = true");
    await signIn(recoveryCode(0));
  });

  it("counts wrong codes as wrong passwords: five a minute", async () => {
    for (let time = 0; time < 5; time++) await refusedAs("unauthenticated", signIn(wrong()), "WRONG_CODE");
    await refusedAs("rateLimited", signIn(shown()));
    later(MINUTE_MS);
    await signIn(shown());
  });

  it("takes no code of an account after twenty wrong ones in an hour, wherever they came from", async () => {
    for (let place = 0; place < 20; place++) {
      if (place % 5 === 0) later(MINUTE_MS);
      await refusedAs("unauthenticated", signIn(wrong(), { sourceIp: `198.51.100.${place}` }), "WRONG_CODE");
    }
    later(MINUTE_MS);
    const { retryAfterSeconds } = await refusedAs("rateLimited", signIn(shown(), { sourceIp: ELSEWHERE }));
    assert.equal(retryAfterSeconds, 56 * 60);
    await refusedAs("rateLimited", signIn(recoveryCode(0), { sourceIp: ELSEWHERE }));
    later(56 * MINUTE_MS);
    await signIn(shown(), { sourceIp: ELSEWHERE });
  });

  it("lets a person in from where they have signed in lately, whatever strangers try", async () => {
    await signIn(recoveryCode(0));
    for (let place = 0; place < 20; place++) {
      if (place % 5 === 0) later(MINUTE_MS);
      await refusedAs("unauthenticated", signIn(wrong(), { sourceIp: `198.51.100.${place}` }), "WRONG_CODE");
    }
    later(MINUTE_MS);
    await refusedAs("rateLimited", signIn(shown(), { sourceIp: ELSEWHERE }));
    await signIn(shown());
  });

  it("says so when no key of the service opens the secret; recovery codes still count", async () => {
    const stranger = { ...contextOf(services, anonymous), secrets: secretBox(randomBytes(32).toString("base64")) };
    const attempt = (code: string) => login(stranger, { username: "ann", password: PASSWORD, code });
    await refusedAs("unauthenticated", attempt(shown()), "SECOND_FACTOR_UNREADABLE");
    assert.equal((await attempt(recoveryCode(0))).userId, 1);
    const unread = { ...contextOf(services, ann), secrets: stranger.secrets };
    await beginTotp(contextOf(services, ann));
    await refusedAs("conflict", confirmTotp(unread, "123456"), "TOTP_NOT_BEGUN");
  });

  it("outlasts the rotation of the service's key", async () => {
    const former = randomBytes(32).toString("base64");
    const next = randomBytes(32).toString("base64");
    const bob = signedIn({ role: "customer", userId: 2, username: "bob", sessionId: 0 });
    await plant(services.pool, { user_account: [{ username: "bob", role: "customer", password_hash: passwordHash }] });
    const { secret } = await setUpTotp({ ...contextOf(services, bob), secrets: secretBox(former) });
    await services.pool.query("delete from totp where user_id = 1");
    const rotated = await rotateSecrets({ pool: services.pool, secrets: secretBox(next, [former]) });
    assert.deepEqual(rotated.at(-1), { kind: "keys of one-time codes", current: 0, renewed: 1, unreadable: [] });
    later(STEP_MS);
    const context = { ...contextOf(services, anonymous), secrets: secretBox(next) };
    const opened = await login(context, { username: "bob", password: PASSWORD, code: codeAt(secret, present) });
    assert.equal(opened.userId, 2);
  });
});
