// Refuses callers who lack a permission; every resolver and action checks its permission here.
import type { Permission } from "../core/access/permissions.js";
import { isInScope } from "../core/access/scope.js";
import { DroverError } from "../errors/errors.js";
import type { Viewer } from "./viewer.js";

/**
 * For what serves to sign in and out and to set up a second factor; for all else there is {@link permitSignedIn}.
 * @throws DroverError unauthenticated when nobody is signed in
 */
export function permitKnown({ viewer }: { readonly viewer: Viewer }): void {
  if (viewer.kind === "anonymous")
    throw new DroverError("unauthenticated", "Sign in or send an API token", { reason: "NOT_SIGNED_IN" });
}

/** @throws DroverError unauthenticated when nobody is signed in; forbidden to who must set up a second factor first */
export function permitSignedIn(context: { readonly viewer: Viewer }): void {
  permitKnown(context);
  if (context.viewer.kind === "user" && context.viewer.mustSetUp)
    throw new DroverError("forbidden", "Set up a second factor first: your role needs one", {
      reason: "SECOND_FACTOR_SETUP_REQUIRED",
    });
}

/** @throws DroverError unauthenticated, or forbidden when the caller lacks the permission */
export function permit(context: { readonly viewer: Viewer }, permission: Permission): void {
  permitSignedIn(context);
  if (context.viewer.permissions.has(permission)) return;
  throw new DroverError("forbidden", `This needs the permission ${permission}`, { reason: "PERMISSION_MISSING" });
}

/** Whether the host is in the caller's scope; what is named by an id of its own on another host is not found. */
export const isHostPermitted = ({ viewer }: { readonly viewer: Viewer }, hostId: number): boolean =>
  viewer.kind !== "token" || isInScope(viewer.hostIds, hostId);

/** A host outside a token's scope is refused whether it exists or not. @throws DroverError forbidden */
export function permitHost(context: { readonly viewer: Viewer }, hostId: number): void {
  if (!isHostPermitted(context, hostId)) throw outOfScope(`Host ${hostId} is`);
}

/**
 * What is of no single host acts on all of them: settings, plans, the managed library, hosts that are new, and the keys of
 * people. A token of bounded scope leaves it as it is.
 * @throws DroverError forbidden
 */
export function permitEverywhere({ viewer }: { readonly viewer: Viewer }, what: string): void {
  if (viewer.kind === "token" && viewer.hostIds !== null) throw outOfScope(`${what} would reach`);
}

/** @param what subject and verb */
export const outOfScope = (what: string): DroverError =>
  new DroverError("forbidden", `${what} outside the scope of this token`, { reason: "HOST_OUT_OF_SCOPE" });
