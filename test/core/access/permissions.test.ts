// Checks what roles and tokens may do.
import assert from "node:assert/strict";
import { UserRole } from "../../../src/core/enums.js";
import {
  mayGrantRole,
  permissionsOfRole,
  permissionsOfToken,
  readPermissions,
} from "../../../src/core/access/permissions.js";

const { ADMIN, OPERATOR, RESELLER, CUSTOMER } = UserRole;

describe("core/access/permissions", () => {
  for (const [role, manages, creates] of [
    [ADMIN, true, true],
    [OPERATOR, true, true],
    [RESELLER, false, true],
    [CUSTOMER, false, false],
  ] as const) {
    it(`${role} ${manages ? "manages" : "does not manage"} hosts`, () => {
      assert.equal(permissionsOfRole(role).includes("hosts.manage"), manages);
      assert.equal(permissionsOfRole(role).includes("guests.create"), creates);
    });
  }

  it("gives every token REST v1, and hosts.manage only when it was granted", () => {
    assert.deepEqual(permissionsOfToken([]), ["hosts.read", "guests.create", "guests.operate", "users.manage"]);
    assert.ok(permissionsOfToken(["hosts.manage"]).includes("hosts.manage"));
  });

  it("names unknown permissions", () => {
    const read = readPermissions(["hosts.manage", "hosts.burn"]);
    assert.match(read.ok ? "" : (read.problems[0]?.message ?? ""), /unknown: hosts\.burn$/);
    assert.deepEqual(readPermissions(["hosts.manage", "hosts.manage"]), { ok: true, value: ["hosts.manage"] });
  });

  const grants: Record<UserRole, UserRole[]> = {
    [ADMIN]: [ADMIN, OPERATOR, RESELLER, CUSTOMER],
    [OPERATOR]: [RESELLER, CUSTOMER],
    [RESELLER]: [CUSTOMER],
    [CUSTOMER]: [],
  };
  for (const by of Object.values(UserRole)) {
    it(`${by} may make ${grants[by].join(", ") || "nobody"}`, () => {
      assert.deepEqual(
        Object.values(UserRole).filter((role) => mayGrantRole(by, role)),
        grants[by],
      );
    });
  }
});
