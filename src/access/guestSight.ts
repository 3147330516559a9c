// Decides by whom a guest can be seen: the rules of `visibleGuest`, for guests whose place is known already.
import { UserRole } from "../core/enums.js";
import type { Viewer } from "./viewer.js";

/** What of a guest decides who sees it, besides that it is there. */
export interface GuestPlace {
  readonly hostId: number;
  readonly ownerId: number | null;
  /** Who made the owner's account. */
  readonly resellerId: number | null;
}

/** Which guests a viewer sees: those of hosts (null: of every host), their own, or those of their customers. */
export type GuestSight =
  | { readonly by: "host"; readonly hostIds: readonly number[] | null }
  | { readonly by: "owner" | "reseller"; readonly userId: number };

export function guestSight(viewer: Viewer): GuestSight {
  if (viewer.kind === "user" && viewer.role === UserRole.CUSTOMER) return { by: "owner", userId: viewer.userId };
  if (viewer.kind === "user" && viewer.role === UserRole.RESELLER) return { by: "reseller", userId: viewer.userId };
  return { by: "host", hostIds: viewer.hostIds };
}
