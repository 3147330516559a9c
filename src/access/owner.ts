// Decides for whom a viewer may create guests: only for owners whose guests the viewer can see afterwards.
import type { Viewer } from "./viewer.js";
import { UserRole } from "../core/enums.js";

/** What is known of a possible owner. */
export interface OwnerFacts {
  readonly role: UserRole;
  /** Who made the account; null for those that no person made. */
  readonly createdBy: number | null;
}

/** Tokens give guests to customers, resellers to customers of their own, those who manage hosts to anybody. */
export function mayOwn(viewer: Viewer, { role, createdBy }: OwnerFacts): boolean {
  if (viewer.kind === "token") return role === UserRole.CUSTOMER;
  return viewer.kind === "user" && (viewer.role !== UserRole.RESELLER || createdBy === viewer.userId);
}

/** A reseller sees guests of customers only: one without an owner would be lost to who made it. */
export const needsOwner = (viewer: Viewer): boolean => viewer.kind === "user" && viewer.role === UserRole.RESELLER;
