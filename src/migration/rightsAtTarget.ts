// Says which rights on the target a move uses, and what its connection lacks of them.
import type { MappingChoice } from "../core/migration/mapping.js";
import type { TargetRights } from "../core/migration/moveFacts.js";
import type { ArrivalPlace, ReceivingRights } from "../hypervisor/rights.js";
import type { MoveRecords, MovingGuest } from "./moveRecords.js";
import type { SourceSight, TargetSight } from "./observeMove.js";

interface Knowing {
  readonly guest: Pick<MovingGuest, "type">;
  readonly source: Pick<SourceSight, "config">;
  readonly seen: Pick<TargetSight, "version" | "authority" | "networks">;
  readonly records: Pick<MoveRecords, "target">;
  /** Whether the move's own job looks again: it asks for the token itself, whatever the target said to others. */
  readonly byJob: boolean;
  readonly place: Pick<ArrivalPlace, "node" | "vmid">;
  readonly storages: readonly MappingChoice[];
  readonly bridges: readonly MappingChoice[];
}

/** For a target that does not report its rights: the target itself refuses what it does not allow. */
const NOTHING_KNOWN: ReceivingRights = {
  missing: null,
  missingToLimit: null,
  modification: null,
  missingForTags: null,
};

export function rightsAtTarget({
  guest,
  source,
  seen,
  records,
  byJob,
  place,
  storages,
  bridges,
}: Knowing): TargetRights {
  const { hostName, byToken, allowUnrestrictedMoveToken, tokenRefusal } = records.target;
  const { version, networks, authority } = seen;
  const arrival = { ...place, version, networks, storages: targetsOf(storages), bridges: targetsOf(bridges) };
  const bridgeMap = new Map(bridges.flatMap(({ source: from, target }) => (target === null ? [] : [[from, target]])));
  const newcomer = { type: guest.type, config: source.config, bridgeMap };
  return {
    host: hostName,
    unrestrictedAllowed: allowUnrestrictedMoveToken,
    tokenRefusal: byJob ? null : tokenRefusal,
    ...(authority?.rightsFor(newcomer, arrival, byToken) ?? NOTHING_KNOWN),
  };
}

const targetsOf = (choices: readonly MappingChoice[]): string[] => [
  ...new Set(choices.flatMap(({ target }) => target ?? [])),
];
