// Roles that need a second factor: who decides on them, and what a session may do until one is set up.
import assert from "node:assert/strict";
import { openAccess, type Access } from "../../../src/access/authenticate.js";
import { hashPassword } from "../../../src/access/password.js";
import type { Viewer } from "../../../src/access/viewer.js";
import { login } from "../../../src/actions/accounts/session.js";
import { resetSecondFactor } from "../../../src/actions/accounts/totp.js";
import { updateSettings } from "../../../src/actions/setting.js";
import type { UserRole } from "../../../src/core/enums.js";
import { anonymous, contextOf, managingToken, userViewer } from "../../support/context.js";
import { refusedAs } from "../../support/refusal.js";
import { plant } from "../../support/rows.js";
import { setUpTotp } from "../../support/secondFactor.js";
import { createTestServices, fixedClock, type TestServices } from "../../support/services.js";
import { until } from "../../support/until.js";

const PASSWORD = "correct horse";

describe("actions/secondFactor: roles that need one", () => {
  let passwordHash: string;
  let services: TestServices;
  let access: Access;
  before(async () => {
    passwordHash = await hashPassword(PASSWORD);
  });
  beforeEach(async () => {
    services = await createTestServices({ clock: fixedClock(new Date("2026-11-21T12:00:10Z")) });
    access = openAccess(services);
    await plant(services.pool, {
      user_account: [
        { username: "boss", role: "admin", password_hash: passwordHash },
        { username: "olga", role: "operator", password_hash: passwordHash },
        { username: "carl", role: "customer", password_hash: passwordHash },
      ],
    });
  });
  afterEach(async () => {
    await access.close();
    await services.close();
  });

  const require = (viewer: Viewer, secondFactorRoles: readonly UserRole[]) =>
    updateSettings(contextOf(services, viewer), { secondFactorRoles });
  const required = async (): Promise<unknown> =>
    (await services.pool.query("select second_factor_roles as roles from setting")).rows[0].roles;
  const signIn = async (username: string): Promise<string> =>
    `Bearer ${(await login(contextOf(services, anonymous), { username, password: PASSWORD })).token}`;
  const viewerOf = async (authorization: string): Promise<Viewer> => {
    const viewer = await access.identify({ authorization, sourceIp: "203.0.113.5" }, ["session"]);
    assert.ok(viewer);
    return viewer;
  };
  const mustSetUp = async (authorization: string): Promise<boolean> => {
    const viewer = await viewerOf(authorization);
    return viewer.kind === "user" && viewer.mustSetUp;
  };

  it("are decided on by who may give others the role", async () => {
    await require(userViewer("operator", 2), ["customer", "reseller", "customer"]);
    assert.deepEqual(await required(), ["customer", "reseller"]);
    for (const roles of [["operator", "customer", "reseller"], ["admin"]] as const)
      await refusedAs("forbidden", require(userViewer("operator", 2), roles));
    await require(userViewer("admin", 1), ["admin", "operator"]);
    await refusedAs("forbidden", require(userViewer("operator", 2), []));
    await refusedAs("forbidden", require(userViewer("customer", 3), []));
    assert.deepEqual(await required(), ["admin", "operator"]);
    await require(managingToken(), []);
    assert.deepEqual(await required(), []);
  });

  it("stay as they are when other settings change, and change with them or not at all", async () => {
    await require(managingToken(), ["customer"]);
    await updateSettings(contextOf(services, managingToken()), { maxSuggestions: 4 });
    assert.deepEqual(await required(), ["customer"]);
    const weightless = { ramWeight: 0, cpuWeight: 0, storageWeight: 0, secondFactorRoles: [] };
    await refusedAs("validation", updateSettings(contextOf(services, managingToken()), weightless));
    assert.deepEqual(await required(), ["customer"]);
  });

  it("bound the sessions that are open, until a second factor is set up and after it is reset", async () => {
    const carl = await signIn("carl");
    const olga = await signIn("olga");
    assert.equal(await mustSetUp(carl), false);
    await require(managingToken(), ["customer"]);
    await until("Carl must set one up", () => mustSetUp(carl));
    assert.deepEqual([...(await viewerOf(carl)).permissions], []);
    assert.equal(await mustSetUp(olga), false);
    await setUpTotp(contextOf(services, await viewerOf(carl)));
    await until("Carl need not any more", async () => !(await mustSetUp(carl)));
    assert.ok((await viewerOf(carl)).permissions.size > 0);
    await resetSecondFactor(contextOf(services, userViewer("operator", 2)), 3);
    await until("Carl must again", () => mustSetUp(carl));
    await require(managingToken(), []);
    await until("nobody must", async () => !(await mustSetUp(carl)));
  });

  it("bound them also where another process has changed what counts", async () => {
    const carl = await signIn("carl");
    assert.equal(await mustSetUp(carl), false);
    await services.pool.query("update setting set second_factor_roles = '{customer}'");
    await until("Carl must set one up", () => mustSetUp(carl));
    await services.pool.query("insert into totp (user_id, secret_encrypted) values (3, 'x')");
    await services.pool.query("update totp set last_step = 1");
    await until("Carl need not any more", async () => !(await mustSetUp(carl)));
    await services.pool.query("delete from totp");
    await until("Carl must again", () => mustSetUp(carl));
  });

  it("bound who signs in later", async () => {
    await require(managingToken(), ["customer"]);
    assert.equal(await mustSetUp(await signIn("carl")), true);
  });
});
