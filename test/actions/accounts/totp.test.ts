// One-time codes: how they are set up, replaced, removed and reset, and by whom.
import assert from "node:assert/strict";
import { hashPassword } from "../../../src/access/password.js";
import { TOTP_SECRET, totpSecretBinding } from "../../../src/access/secretPurpose.js";
import type { Viewer } from "../../../src/access/viewer.js";
import { login } from "../../../src/actions/accounts/session.js";
import {
  beginTotp,
  confirmTotp,
  removeTotp,
  resetAnySecondFactor,
  resetSecondFactor,
} from "../../../src/actions/accounts/totp.js";
import { updateSettings } from "../../../src/actions/setting.js";
import { UserRole } from "../../../src/core/enums.js";
import { anonymous, contextOf, managingToken, signedIn, tokenViewer, userViewer } from "../../support/context.js";
import { refusedAs } from "../../support/refusal.js";
import { plant } from "../../support/rows.js";
import { codeAt, setUpTotp, STEP_MS } from "../../support/secondFactor.js";
import { createTestServices, type TestServices } from "../../support/services.js";

const PASSWORD = "correct horse";
const carl = signedIn({ role: "customer", userId: 4, username: "carl", sessionId: 0 });

describe("actions/totp", () => {
  let passwordHash: string;
  let present: Date;
  let services: TestServices;
  before(async () => {
    passwordHash = await hashPassword(PASSWORD);
  });
  beforeEach(async () => {
    present = new Date("2026-11-21T12:00:10Z");
    services = await createTestServices({ clock: { offsetSeconds: 0, now: () => present } });
    await plant(services.pool, {
      user_account: [
        { username: "boss", role: "admin", password_hash: passwordHash },
        { username: "olga", role: "operator", password_hash: passwordHash },
        { username: "rita", role: "reseller", password_hash: passwordHash },
        { username: "carl", role: "customer", created_by: 3, password_hash: passwordHash },
        { username: "dora", role: "customer", password_hash: passwordHash },
      ],
    });
  });
  afterEach(() => services.close());

  const as = (viewer: Viewer) => contextOf(services, viewer);
  const stepLater = (): void => void (present = new Date(present.getTime() + STEP_MS));
  const signIn = (code: string | null) => login(as(anonymous), { username: "carl", password: PASSWORD, code });
  const isAsked = async (): Promise<boolean> =>
    signIn(null).then(
      () => false,
      ({ reason }: { reason?: string }) => reason === "SECOND_FACTOR_REQUIRED",
    );

  it("counts for nothing until a code confirms it", async () => {
    const { secret } = await beginTotp(as(carl));
    assert.equal(await isAsked(), false);
    await confirmTotp(as(carl), codeAt(secret, present));
    assert.equal(await isAsked(), true);
  });

  it("takes the code with the gap that apps show", async () => {
    const { secret } = await beginTotp(as(carl));
    const code = codeAt(secret, present);
    assert.equal((await confirmTotp(as(carl), ` ${code.slice(0, 3)} ${code.slice(3)}`)).length, 10);
  });

  it("keeps the secret encrypted, bound to the person, and recovery codes as hashes", async () => {
    const { secret, recoveryCodes } = await setUpTotp(as(carl));
    const stored = JSON.stringify([
      (await services.pool.query("select * from totp")).rows,
      (await services.pool.query("select * from recovery_code")).rows,
    ]);
    for (const kept of [secret, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll("-", ""))])
      assert.ok(!stored.includes(kept));
    const [{ sealed }] = (await services.pool.query("select secret_encrypted as sealed from totp")).rows;
    assert.equal(services.secrets.open(sealed, TOTP_SECRET, totpSecretBinding(4)), secret);
    assert.throws(() => services.secrets.open(sealed, TOTP_SECRET, totpSecretBinding(5)));
  });

  it("refuses a wrong code, and one when nothing was begun", async () => {
    await refusedAs("conflict", confirmTotp(as(carl), "123456"), "TOTP_NOT_BEGUN");
    const { secret } = await beginTotp(as(carl));
    const code = codeAt(secret, new Date(present.getTime() + 10 * STEP_MS));
    await refusedAs("unauthenticated", confirmTotp(as(carl), code), "WRONG_CODE");
    assert.equal(await isAsked(), false);
  });

  it("forgets the key that was begun before", async () => {
    const first = await beginTotp(as(carl));
    const second = await beginTotp(as(carl));
    await refusedAs("unauthenticated", confirmTotp(as(carl), codeAt(first.secret, present)), "WRONG_CODE");
    await confirmTotp(as(carl), codeAt(second.secret, present));
  });

  it("keeps the confirmed key, and its recovery codes, until another is confirmed", async () => {
    const first = await setUpTotp(as(carl));
    const second = await beginTotp(as(carl));
    stepLater();
    await signIn(codeAt(first.secret, present));
    await signIn(first.recoveryCodes[0] ?? "");
    await refusedAs("unauthenticated", signIn(codeAt(second.secret, present)), "WRONG_CODE");
    const recoveryCodes = await confirmTotp(as(carl), codeAt(second.secret, present));
    stepLater();
    await refusedAs("unauthenticated", signIn(codeAt(first.secret, present)), "WRONG_CODE");
    await refusedAs("unauthenticated", signIn(first.recoveryCodes[1] ?? ""), "WRONG_CODE");
    await signIn(codeAt(second.secret, present));
    await signIn(recoveryCodes[0] ?? "");
  });

  it("is confirmed once, of two confirmations at the same moment", async () => {
    const { secret } = await beginTotp(as(carl));
    const code = codeAt(secret, present);
    const both = await Promise.allSettled([confirmTotp(as(carl), code), confirmTotp(as(carl), code)]);
    const [codes, ...more] = both.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    assert.deepEqual(more, []);
    await signIn(codes?.[0] ?? "");
  });

  it("is removed with the right password alone, and the recovery codes with it", async () => {
    const { recoveryCodes } = await setUpTotp(as(carl));
    await refusedAs("unauthenticated", removeTotp(as(carl), "wrong horse"), "WRONG_PASSWORD");
    assert.equal(await isAsked(), true);
    assert.equal(await removeTotp(as(carl), PASSWORD), true);
    assert.equal(await isAsked(), false);
    assert.deepEqual((await services.pool.query("select 1 from recovery_code")).rows, []);
    assert.equal(await removeTotp(as(carl), PASSWORD), false);
    assert.equal(recoveryCodes.length, 10);
  });

  it("counts wrong passwords of removals as at sign-in", async () => {
    await setUpTotp(as(carl));
    for (let time = 0; time < 5; time++) await refusedAs("unauthenticated", removeTotp(as(carl), "wrong horse"));
    await refusedAs("rateLimited", removeTotp(as(carl), PASSWORD));
    await refusedAs("rateLimited", signIn(null));
  });

  it("cannot be removed where the role must have it; another key replaces it", async () => {
    await setUpTotp(as(carl));
    await updateSettings(as(managingToken()), { secondFactorRoles: [UserRole.CUSTOMER] });
    await refusedAs("conflict", removeTotp(as(carl), PASSWORD), "LAST_SECOND_FACTOR");
    stepLater();
    const { secret } = await setUpTotp(as(carl));
    stepLater();
    await signIn(codeAt(secret, present));
  });

  it("is for people", async () => {
    for (const viewer of [tokenViewer(), managingToken()]) {
      await refusedAs("forbidden", beginTotp(as(viewer)));
      await refusedAs("forbidden", confirmTotp(as(viewer), "123456"));
      await refusedAs("forbidden", removeTotp(as(viewer), PASSWORD));
    }
    await refusedAs("unauthenticated", beginTotp(as(anonymous)));
  });

  it("is begun for nobody whose account is gone", async () => {
    await services.pool.query("delete from user_account where id = 4");
    await refusedAs("unauthenticated", beginTotp(as(carl)));
  });

  it("is reset by who manages the person, and by nobody else", async () => {
    const reset = (viewer: Viewer, id: number) => resetSecondFactor(as(viewer), id);
    await setUpTotp(as(carl));
    await refusedAs("forbidden", reset(userViewer("customer", 5), 4));
    await refusedAs("notFound", reset(userViewer("reseller", 3), 5));
    await refusedAs("forbidden", reset(userViewer("operator", 2), 1));
    await refusedAs("forbidden", reset(tokenViewer([1]), 3));
    await refusedAs("conflict", reset(userViewer("admin", 1), 1), "OWN_ACCOUNT");
    assert.equal(await isAsked(), true);
    assert.equal(await reset(userViewer("reseller", 3), 4), true);
    assert.equal(await isAsked(), false);
    assert.equal(await reset(userViewer("operator", 2), 4), false);
  });

  it("is reset for the last admin by the operator of the machine", async () => {
    await setUpTotp(as(signedIn({ role: "admin", userId: 1, username: "boss", sessionId: 0 })));
    assert.equal(await resetAnySecondFactor(as(anonymous), 1), true);
    assert.equal(await resetAnySecondFactor(as(anonymous), 1), false);
    await refusedAs("notFound", resetAnySecondFactor(as(anonymous), 99));
  });
});
