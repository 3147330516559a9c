// Says which rights a move uses on its target: those of its temporary token, and those of the connection that makes it.
import { GuestType } from "../../../core/enums.js";
import type { Right } from "./privileges.js";
import { configText, isFlagOn, parseTags, type ConfigValues } from "../config/values.js";
import { guestCards } from "../config/cards.js";
import { isAtLeast } from "../../../core/version.js";
import { configPrivileges } from "./configRights.js";

/** The right to change the system: also for tags that the target has registered. */
export const MODIFY = "Sys.Modify";

/** `Sys.Incoming` opens the tunnel. */
const TUNNEL = ["Sys.Audit", "Sys.Incoming"] as const;

/** @returns what of the guest only who has `Sys.Modify` may give to a new one; null: nothing. */
export function needsModify(type: GuestType, config: ConfigValues, version: string | null): string | null {
  if (type === GuestType.QEMU)
    return configText(config, "startup") === null ? null : "has a place in the order of startup";
  const isPrivileged = !isFlagOn(config, "unprivileged");
  return isPrivileged && isAtLeast(version, "9.0") ? "is a privileged container" : null;
}

/** Which tags only who may change the system can set. */
export interface TagRules {
  readonly registered: readonly string[];
  /** Whether all others are open to everybody. */
  readonly isFree: boolean;
}

/** Why the guest takes the right to change the system. */
export interface Modification {
  /** What of the guest it is, such as `is a privileged container`. */
  readonly reason: string;
  /** False: the target does not tell which tags it has registered. */
  readonly isCertain: boolean;
}

/** @param tags of the target; null: not known @returns null: nothing of the guest takes it */
export function modificationBy(
  { type, config }: Pick<Moving, "type" | "config">,
  version: string | null,
  tags: TagRules | null,
): Modification | null {
  const reason = needsModify(type, config, version);
  if (reason !== null) return { reason, isCertain: true };
  const own = parseTags(configText(config, "tags"));
  if (own.length === 0) return null;
  if (tags === null) return { reason: "has tags, of which some may be registered there", isCertain: false };
  const registered = own.find((tag) => tags.registered.some((name) => name.toLowerCase() === tag.toLowerCase()));
  if (registered !== undefined)
    return { reason: `has the tag ${registered}, which is registered there`, isCertain: true };
  return tags.isFree ? null : { reason: "has tags, which are not free there", isCertain: false };
}

/** Where a guest arrives, in the names of the target. */
export interface NamedArrival {
  /** Proxmox VE's version there; null: unknown. */
  readonly version: string | null;
  readonly node: string;
  readonly vmid: number;
  readonly storages: readonly string[];
  readonly bridges: readonly TargetBridge[];
}

export interface TargetBridge {
  readonly name: string;
  /** Whether it belongs to an SDN zone, whose name is not known. */
  readonly isVnet: boolean;
}

/** Path of the rights on what a card may be attached to, which there are from 8.0 on. */
export const bridgePath = ({ name, isVnet }: TargetBridge): string =>
  isVnet ? "/sdn/zones" : `/sdn/zones/localnetwork/${name}`;

export const hasBridgeRights = (version: string | null): boolean => isAtLeast(version, "8.0");

/** A guest that moves. */
interface Moving {
  readonly type: GuestType;
  readonly config: ConfigValues;
  /** Bridges of the target by those of its cards. */
  readonly bridgeMap: ReadonlyMap<string, string>;
  /** Whether it takes the right to change the system. */
  readonly modifies: boolean;
}

/** @returns what the token needs, and its user with it: without any of it the target refuses the guest, often after the copy. */
export function arrivalRights({ type, config, bridgeMap, modifies }: Moving, arrival: NamedArrival): Right[] {
  const { version, vmid, storages } = arrival;
  const onRoot = modifies ? [...TUNNEL, MODIFY] : TUNNEL;
  const onGuest = [["VM.Allocate"], ...configPrivileges(type, config, version)];
  return [
    ...onRoot.map((privilege) => ({ path: "/", privileges: [privilege] })),
    ...onGuest.map((privileges) => ({ path: `/vms/${vmid}`, privileges })),
    ...storages.map((name) => ({ path: `/storage/${name}`, privileges: ["Datastore.AllocateSpace"] })),
    ...(hasBridgeRights(version) ? cardRights(config, bridgeMap, arrival) : []),
  ];
}

/** A card with VLANs needs each of them, one without needs the bridge. */
function cardRights(config: ConfigValues, bridgeMap: Moving["bridgeMap"], { bridges }: NamedArrival): Right[] {
  const paths = guestCards(config).flatMap(({ bridge, vlan, hasTrunks }) => {
    const target = bridges.find(({ name }) => name === bridgeMap.get(bridge ?? ""));
    // Ranges of VLANs are left to the platform.
    if (target === undefined || hasTrunks) return [];
    const path = bridgePath(target);
    return [{ target, path: target.isVnet || vlan === null ? path : `${path}/${vlan}` }];
  });
  const byPath = new Map(paths.map((one) => [one.path, one.target]));
  return [...byPath].map(([path, { isVnet }]) => ({
    path,
    privileges: ["SDN.Use"],
    ...(isVnet && ({ orBelow: true } as const)),
  }));
}

/**
 * What the connection itself uses: to make and remove the token, and to follow what it does.
 * @param byToken whether it is an API token: a user's own ticket may do both with the user's tokens without further rights
 */
export const connectionRights = ({ node, vmid }: NamedArrival, byToken: boolean): Right[] => [
  ...(byToken
    ? [
        { path: "/access/groups", privileges: ["User.Modify"], orBelow: true as const },
        { path: `/nodes/${node}`, privileges: ["Sys.Audit"] },
      ]
    : []),
  { path: `/vms/${vmid}`, privileges: ["VM.Audit"] },
];
