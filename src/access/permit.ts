// Refuses callers who may not do what they ask for: the one check that every resolver and action names its permission to.
import type { Permission } from "../core/access/permissions.js";
import { isInScope } from "../core/access/scope.js";
import { DroverError } from "../errors.js";
import type { Viewer } from "./viewer.js";

/** @throws DroverError unauthenticated when nobody is signed in */
export function permitSignedIn({ viewer }: { readonly viewer: Viewer }): void {
  if (viewer.kind === "anonymous") throw new DroverError("unauthenticated", "Sign in or send an API token");
}

/** @throws DroverError unauthenticated, or forbidden when the caller lacks the permission */
export function permit(context: { readonly viewer: Viewer }, permission: Permission): void {
  permitSignedIn(context);
  if (context.viewer.permissions.has(permission)) return;
  throw new DroverError("forbidden", `This needs the permission ${permission}`, { reason: "PERMISSION_MISSING" });
}

/** A host outside a token's scope is refused whether it exists or not. @throws DroverError forbidden */
export function permitHost({ viewer }: { readonly viewer: Viewer }, hostId: number): void {
  if (viewer.kind !== "token" || isInScope(viewer.hostIds, hostId)) return;
  throw new DroverError("forbidden", `Host ${hostId} is outside the scope of this token`, {
    reason: "HOST_OUT_OF_SCOPE",
  });
}
