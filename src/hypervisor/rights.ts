// What a connection may do on its host, as the host itself says: rights are named in the platform's own words.
import type { GuestType } from "../core/enums.js";
import type { Grant } from "./access.js";
import type { GuestConfig } from "./guestConfig.js";
import type { ObservedNetwork } from "./observed.js";

/** What a connection lacks to see what is on its host; null: nothing, or the host does not tell. */
export interface Sight {
  /** The host's members and their state. */
  readonly missingForHost: string | null;
  readonly missingForGuests: string | null;
}

/** Something of a guest that only a connection with a further right may give to a new one. */
export interface Restricted {
  /** What of the guest it is, such as `is a privileged container`. */
  readonly reason: string;
  /** Which right it takes, in the platform's words. */
  readonly right: string;
}

/** Where a guest arrives, in the names of the target. */
export interface ArrivalPlace {
  readonly node: string;
  readonly vmid: number;
  readonly storages: readonly string[];
  readonly bridges: readonly string[];
}

/** The same, and what is known of the node. */
export interface Arrival extends ArrivalPlace {
  /** Null: unknown. */
  readonly version: string | null;
  /** Networks of the node; a bridge that is not among them is taken for one of its own. */
  readonly networks: readonly ObservedNetwork[];
}

/** A guest that moves to the host. */
export interface Newcomer {
  readonly type: GuestType;
  readonly config: GuestConfig;
  /** Bridges of the target by those of its cards. */
  readonly bridgeMap: ReadonlyMap<string, string>;
}

/** Which rights a move uses on its target. */
export interface ReceivingRights {
  /** What the connection lacks for the move; null: nothing. */
  readonly missing: string | null;
  /** What it lacks to limit the temporary token; null: nothing. */
  readonly missingToLimit: string | null;
  /** Why the token gets the right to change the target's system; null: it does not get it. */
  readonly modification: Restricted | null;
  /** The right without which the target refuses a guest with tags that it has registered; null: it has it, or takes the tags. */
  readonly missingForTags: string | null;
}

/** What a connection may do for a move to its host. */
export interface ReceivingAuthority extends Sight {
  /** @param byToken whether the connection is an API token: a user's own ticket may do more with the user's tokens */
  rightsFor(newcomer: Newcomer, arrival: Arrival, byToken: boolean): ReceivingRights;
}

/** What a move's temporary token is limited to. */
export interface TokenLimits {
  /** Its access rules, to be recorded before it gets them. */
  readonly grants: readonly Grant[];
  /** What the connection lacks to set them; null: nothing. */
  readonly missing: string | null;
  /** Whether the guest needs the right to change the target's system. */
  readonly modifies: boolean;
}

/** The token cannot be given rights of its own; the message is the target's own reason. */
export class NotLimited extends Error {
  override readonly name = "NotLimited";
}

/** The target makes no such token, by its own decision; the message is what it says, without any secret. */
export class TokenRefused extends Error {
  override readonly name = "TokenRefused";
}
