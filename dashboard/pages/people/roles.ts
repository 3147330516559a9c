// Decides what the person who is signed in may do with an account: what they may not is not shown to them.
import { mayGrantRole } from "../../../src/core/access/permissions.js";
import { UserRole as Role } from "../../../src/core/enums.js";
import type { Viewer } from "../../client/viewer.js";
import type { UserRole } from "../../generated/documents.js";
import { roleLabel } from "../../texts/terms.js";

export const ROLES: readonly UserRole[] = ["ADMIN", "OPERATOR", "RESELLER", "CUSTOMER"];

/** For a select. */
export const roleChoices = (roles: readonly UserRole[]) => roles.map((value) => ({ value, label: roleLabel(value) }));

/** The roles of the accounts that the viewer may make. */
export const grantableBy = ({ role }: Viewer): UserRole[] =>
  ROLES.filter((each) => mayGrantRole(Role[role], Role[each]));

/** What may be done with an account. */
export interface Rights {
  readonly isOwn: boolean;
  /** Its address and names may be changed. */
  readonly mayEdit: boolean;
  /** It may be disabled, deleted and given a password and another role. */
  readonly mayManage: boolean;
  readonly maySeeSessions: boolean;
}

/** @param viewer undefined: not known yet */
export function rightsOver(viewer: Viewer | undefined, user: Pick<Viewer, "id" | "role"> | undefined): Rights {
  if (viewer === undefined || user === undefined)
    return { isOwn: false, mayEdit: false, mayManage: false, maySeeSessions: false };
  const isOwn = viewer.id === user.id;
  const grantable = grantableBy(viewer);
  const mayManage = !isOwn && grantable.includes(user.role);
  // Who manages nobody does not change their own account either.
  return {
    isOwn,
    mayManage,
    mayEdit: mayManage || (isOwn && grantable.length > 0),
    maySeeSessions: isOwn || mayManage,
  };
}
