// Decides where each storage and bridge of a guest goes on the target, and what the target's storages have to take.
import type { IpPlan } from "../core/addressing/ipPlan.js";
import type { MigrationMode } from "../core/enums.js";
import { bytesOf, type Disk } from "../core/inventory/disk.js";
import { isCopied, isCopiedAsItLies } from "../core/migration/estimate.js";
import {
  bytesByTarget,
  fallbackBridge,
  fallbackStorage,
  mapSources,
  storageShortfalls,
  type MappingChoice,
  type TargetStorage,
} from "../core/migration/mapping.js";
import type { MoveFacts, StoragePair } from "../core/migration/moveFacts.js";
import { knownFreeBytes } from "../core/migration/room.js";
import { takesDisks } from "../core/placement/capacity.js";
import type { NodeState } from "../core/placement/snapshot.js";
import type { MoveRecords, MovingGuest } from "./moveRecords.js";
import type { SourceSight } from "./observeMove.js";
import type { MoveRequest } from "./moveRequest.js";

interface Naming {
  readonly guest: Pick<MovingGuest, "type">;
  readonly source: Pick<SourceSight, "config">;
  readonly records: MoveRecords;
  readonly request: MoveRequest;
  readonly disks: readonly Disk[];
  readonly mode: MigrationMode;
  /** Undefined: it is not known. */
  readonly targetNode: NodeState | undefined;
  readonly ipPlan: IpPlan;
}

interface MappedNames extends Pick<MoveFacts, "storages" | "storagePairs" | "bridges" | "shortfalls"> {
  /** What each target storage has to take. */
  readonly diskBytes: ReadonlyMap<string, number>;
}

export function mapNames(naming: Naming): MappedNames {
  const { disks, mode, records } = naming;
  const rooms = roomsOf(naming);
  const storages = mapStorages(naming, rooms);
  const diskBytes = bytesByTarget(storages, bytesByStorage(disks));
  const copiedFrom = new Set(disks.filter((disk) => isCopiedAsItLies(disk, mode)).map(({ storage }) => storage));
  return {
    storages,
    storagePairs: storagePairs(records, storages, copiedFrom),
    bridges: mapBridges(naming),
    shortfalls: storageShortfalls(diskBytes, rooms),
    diskBytes,
  };
}

function roomsOf({ guest, targetNode }: Naming): TargetStorage[] {
  return (targetNode?.storages ?? [])
    .filter((storage) => takesDisks(storage, guest.type))
    .map((storage) => ({ name: storage.name, freeBytes: knownFreeBytes(storage) }));
}

function mapStorages({ disks, request }: Naming, rooms: readonly TargetStorage[]): MappingChoice[] {
  const used = disks.filter(isCopied).flatMap(({ storage }) => storage ?? []);
  return mapSources(used, {
    options: rooms.map(({ name }) => name).toSorted((left, right) => left.localeCompare(right)),
    chosen: request.storages,
    fallback: request.unattended ? fallbackStorage(rooms) : null,
  });
}

function mapBridges({ source, records, request, ipPlan }: Naming): MappingChoice[] {
  const used = source.config.cards.flatMap(({ bridge }) => bridge ?? []);
  const ofZone = records.targetZones.find(({ id }) => id === ipPlan.zoneId)?.bridge ?? null;
  return mapSources(used, {
    options: records.targetBridges,
    chosen: request.bridges,
    fallback: request.unattended ? fallbackBridge(records.targetBridges, ofZone) : null,
  });
}

/** @param copiedFrom storages from which disks are copied as they lie */
function storagePairs(
  records: MoveRecords,
  storages: readonly MappingChoice[],
  copiedFrom: ReadonlySet<string | null>,
): StoragePair[] {
  return storages.flatMap(({ source, target }) =>
    target === null
      ? []
      : [
          {
            source,
            sourceType: typeOf(records.sourceStorages, source),
            target,
            targetType: typeOf(records.targetStorages, target),
            copies: copiedFrom.has(source),
          },
        ],
  );
}

const typeOf = (known: MoveRecords["sourceStorages"], name: string): string =>
  known.find((storage) => storage.name === name)?.type ?? "unknown";

/** Disks of unknown size are a check of their own, which blocks. */
function bytesByStorage(disks: readonly Disk[]): Map<string, number> {
  const bytes = new Map<string, number>();
  for (const disk of disks.filter(isCopied)) {
    if (disk.storage !== null) bytes.set(disk.storage, (bytes.get(disk.storage) ?? 0) + (bytesOf(disk) ?? 0));
  }
  return bytes;
}
