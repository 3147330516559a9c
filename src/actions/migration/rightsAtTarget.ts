// Compares the rights that a move uses on its target with those that the target tells of.
import { missingRights } from "../../core/hostRights.js";
import type { MappingChoice } from "../../core/migration/mapping.js";
import type { TargetRights } from "../../core/migration/moveFacts.js";
import {
  arrivalRights,
  connectionRights,
  MODIFY,
  modificationBy,
  type Arrival,
  type TargetBridge,
} from "../../core/migration/targetRights.js";
import { missingToLimit, tokenLimits } from "../../core/migration/tokenGrants.js";
import type { ObservedNetwork } from "../../hypervisor/observed.js";
import type { MoveRecords, MovingGuest } from "./moveRecords.js";
import type { SourceSight, TargetSight } from "./observeMove.js";

interface Knowing {
  readonly guest: Pick<MovingGuest, "type">;
  readonly source: Pick<SourceSight, "config">;
  readonly seen: Pick<TargetSight, "version" | "permissions" | "roles" | "tagRules" | "networks">;
  readonly records: Pick<MoveRecords, "target">;
  readonly place: Pick<Arrival, "node" | "vmid">;
  readonly storages: readonly MappingChoice[];
  readonly bridges: readonly MappingChoice[];
}

export function rightsAtTarget(known: Knowing): TargetRights {
  const { guest, source, seen, records, place } = known;
  const { hostName, byToken, allowUnrestrictedMoveToken } = records.target;
  const { version, permissions: held } = seen;
  const arrival: Arrival = {
    ...place,
    version,
    storages: targetsOf(known.storages),
    bridges: targetBridges(targetsOf(known.bridges), seen.networks),
  };
  const moving = { type: guest.type, config: source.config.settings };
  const wanted = modificationBy(moving, version, seen.tagRules);
  const mayModify = missingRights([{ path: "/", privileges: [MODIFY] }], held).length === 0;
  const modification = mayModify ? wanted : null;
  const bridgeMap = new Map(
    known.bridges.flatMap(({ source: from, target }) => (target === null ? [] : [[from, target]])),
  );
  const needed = arrivalRights({ ...moving, bridgeMap, modifies: wanted?.isCertain === true }, arrival);
  return {
    host: hostName,
    missing: missingRights([...needed, ...connectionRights(arrival, byToken)], held),
    missingToLimit: missingToLimit(tokenLimits(arrival, modification !== null), seen.roles, held),
    unrestrictedAllowed: allowUnrestrictedMoveToken,
    modification,
    mayRefuseTags: wanted?.isCertain === false && !mayModify,
  };
}

const targetsOf = (choices: readonly MappingChoice[]): string[] => [
  ...new Set(choices.flatMap(({ target }) => target ?? [])),
];

/** What the host does not list among its bridges is taken for one of its own. */
export const targetBridges = (names: readonly string[], networks: readonly ObservedNetwork[]): TargetBridge[] =>
  names.map((name) => ({ name, isVnet: networks.find((network) => network.name === name)?.type === "vnet" }));
