// Asks what the connection may do on its host, and compares it with what the service needs there.
import { describeRights, missingRights, type Permissions, type Right } from "./privileges.js";
import {
  arrivalRights,
  connectionRights,
  MODIFY,
  modificationBy,
  needsModify,
  type TargetBridge,
} from "./targetRights.js";
import { missingToLimit, tokenLimits, type Roles } from "./tokenGrants.js";
import type { TagRules } from "./targetRights.js";
import type { GuestAddress } from "../../guest.js";
import type { GuestConfig } from "../../guestConfig.js";
import type { ObservedNetwork } from "../../observed.js";
import type { Arrival, Newcomer, ReceivingAuthority, ReceivingRights, Restricted, Sight } from "../../rights.js";
import type { Ask } from "../client.js";
import { readNodeVersion, readPermissions } from "../cluster.js";
import { readRoles } from "./roles.js";
import { readTagRules } from "./tagRules.js";

const SIGHT_OF_HOST: Right = { path: "/", privileges: ["Sys.Audit"] };
const SIGHT_OF_GUESTS = "VM.Audit";
const MODIFYING: Right = { path: "/", privileges: [MODIFY] };

/** @returns in words; null: no right is missing */
export const inWords = (rights: readonly Right[]): string | null =>
  rights.length === 0 ? null : describeRights(rights);

export const readSight = async (ask: Ask): Promise<Sight> => sightBy(await readPermissions(ask));

const sightBy = (held: Permissions | null): Sight => ({
  missingForHost: inWords(missingRights([SIGHT_OF_HOST], held)),
  missingForGuests: seesGuests(held) ? null : SIGHT_OF_GUESTS,
});

/** On any path. A host that knows no privileges hides nothing for the lack of one. */
const seesGuests = (held: Permissions | null): boolean =>
  held === null || [...held.values()].some((names) => names.has(SIGHT_OF_GUESTS));

/** What the connection may not give to a new guest in the place of this one; null: nothing. */
export async function readRestricted(
  ask: Ask,
  { type, node }: GuestAddress,
  { settings }: GuestConfig,
): Promise<Restricted | null> {
  const [{ version }, held] = await Promise.all([readNodeVersion(ask, node), readPermissions(ask)]);
  const reason = needsModify(type, settings, version);
  // A host that does not report privileges refuses what it does not allow.
  if (reason === null || held === null || held.size === 0 || held.get("/")?.has(MODIFY)) return null;
  return { reason, right: describeRights([MODIFYING]) };
}

/** What the host said of its connection. */
interface HostAnswers {
  readonly held: Permissions | null;
  readonly roles: Roles | null;
  readonly tags: TagRules | null;
}

export async function readReceivingAuthority(ask: Ask): Promise<ReceivingAuthority> {
  const [held, roles, tags] = await Promise.all([readPermissions(ask), readRoles(ask), readTagRules(ask)]);
  return {
    ...sightBy(held),
    rightsFor: (newcomer, arrival, byToken) => receivingRights({ held, roles, tags }, newcomer, { arrival, byToken }),
  };
}

function receivingRights(
  { held, roles, tags }: HostAnswers,
  { type, config, bridgeMap }: Newcomer,
  { arrival, byToken }: { readonly arrival: Arrival; readonly byToken: boolean },
): ReceivingRights {
  const moving = { type, config: config.settings };
  const place = { ...arrival, bridges: targetBridges(arrival.bridges, arrival.networks) };
  const wanted = modificationBy(moving, arrival.version, tags);
  const mayModify = missingRights([MODIFYING], held).length === 0;
  const modification = mayModify && wanted !== null ? wanted.reason : null;
  const needed = arrivalRights({ ...moving, bridgeMap, modifies: wanted?.isCertain === true }, place);
  const right = describeRights([MODIFYING]);
  return {
    missing: inWords(missingRights([...needed, ...connectionRights(place, byToken)], held)),
    missingToLimit: inWords(missingToLimit(tokenLimits(place, modification !== null), roles, held)),
    modification: modification === null ? null : { reason: modification, right },
    missingForTags: wanted?.isCertain === false && !mayModify ? right : null,
  };
}

/** What the host does not list among its bridges is taken for one of its own. */
export const targetBridges = (names: readonly string[], networks: readonly ObservedNetwork[]): TargetBridge[] =>
  names.map((name) => ({ name, isVnet: networks.find((network) => network.name === name)?.type === "vnet" }));
