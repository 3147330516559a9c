// Which callers are refused, and with which reason: no sign-in, a permission that is missing, a host outside the token's scope.
import assert from "node:assert/strict";
import { isHostPermitted, permit, permitEverywhere, permitHost, permitSignedIn } from "../../src/access/permit.js";
import type { Viewer } from "../../src/access/viewer.js";
import { UserRole } from "../../src/core/enums.js";
import { DroverError } from "../../src/errors/errors.js";
import { anonymous, managingToken, tokenViewer, userViewer } from "../support/context.js";

type Check = (context: { readonly viewer: Viewer }) => void;

const MISSING = ["forbidden", "PERMISSION_MISSING", "This needs the permission hosts.manage"];
const SIGN_IN = ["unauthenticated", "NOT_SIGNED_IN", "Sign in or send an API token"];
const outside = (what: string) => ["forbidden", "HOST_OUT_OF_SCOPE", `${what} outside the scope of this token`];

/** Kind, reason and message of the refusal; null: it is permitted. */
const refusalOf = (check: Check, viewer: Viewer): unknown => {
  try {
    check({ viewer });
    return null;
  } catch (error) {
    assert.ok(error instanceof DroverError);
    return [error.kind, error.reason, error.message];
  }
};

const VIEWERS = {
  nobody: anonymous,
  admin: userViewer(UserRole.ADMIN, 1),
  customer: userViewer(UserRole.CUSTOMER, 2),
  token: tokenViewer(),
  managing: managingToken(),
  ofHosts: managingToken([1, 2]),
  ofNone: managingToken([]),
};
/** Checks every viewer: those that are not named are permitted. */
const refuses = (check: Check, refusals: Readonly<Record<string, unknown>>): void => {
  for (const [name, viewer] of Object.entries(VIEWERS)) {
    assert.deepEqual(refusalOf(check, viewer), refusals[name] ?? null, name);
  }
};

describe("access/permit", () => {
  it("refuses callers that are not signed in", () => {
    refuses(permitSignedIn, { nobody: SIGN_IN });
  });

  it("refuses callers without the permission", () => {
    refuses((context) => permit(context, "hosts.manage"), { nobody: SIGN_IN, customer: MISSING, token: MISSING });
  });

  it("refuses a token the hosts that are not in its scope, whether they exist or not", () => {
    refuses((context) => permitHost(context, 2), { ofNone: outside("Host 2 is") });
    refuses((context) => permitHost(context, 99), { ofHosts: outside("Host 99 is"), ofNone: outside("Host 99 is") });
    assert.deepEqual(
      [1, 3].map((hostId) => isHostPermitted({ viewer: VIEWERS.ofHosts }, hostId)),
      [true, false],
    );
  });

  it("refuses a token of bounded scope what is of no single host", () => {
    const refusal = outside("The settings would reach");
    refuses((context) => permitEverywhere(context, "The settings"), { ofHosts: refusal, ofNone: refusal });
  });
});
