// The checks of the disks' way from storage to storage: what Proxmox VE would refuse only once the copy has begun.
import { GuestType, MigrationMode } from "../enums.js";
import { describeUnmapped } from "./mapping.js";
import type { MoveCheck, MoveFacts, StoragePair } from "./moveFacts.js";
import { describeShortfalls } from "./room.js";

/** ZFS sends and receives its own stream only; all other types speak raw images (and archives, of directories). */
const ZFS = "zfspool";

const UNLESS_LIVE = "ZFS exchanges disks with ZFS only, unless the machine moves live";
/** What a running machine does not write to is copied before it moves. */
const ZFS_ALONE: Readonly<Record<MigrationMode, string>> = {
  [MigrationMode.LIVE]: "ZFS exchanges cloud-init drives, TPM states and unused disks with ZFS only",
  [MigrationMode.RESTART]: UNLESS_LIVE,
  [MigrationMode.OFFLINE]: UNLESS_LIVE,
};

/** The types of storage that Proxmox VE moves containers from; rbd since early 2025. */
const CONTAINER_TYPES = new Set(["dir", "zfspool", "lvm", "lvmthin", "btrfs", "cifs", "nfs", "rbd"]);

const storageUnmapped: MoveCheck = {
  code: "STORAGE_UNMAPPED",
  passed: "every storage is mapped to one of the target",
  finding: ({ storages }) => describeUnmapped(storages),
};

const storageFormat: MoveCheck = {
  code: "STORAGE_FORMAT_MISMATCH",
  passed: "source and target storages have a format in common",
  finding: ({ mode, storages, storagePairs }) => {
    const apart = storagePairs.filter(
      ({ copies, sourceType, targetType }) => copies && (sourceType === ZFS) !== (targetType === ZFS),
    );
    if (apart.length === 0) return unlessUnmapped(storages);
    return `${apart.map(describePair).join(", ")}: ${ZFS_ALONE[mode]}`;
  },
};

const storageTypeUnsupported: MoveCheck = {
  code: "STORAGE_TYPE_UNSUPPORTED",
  passed: "the guest's storages are of types that can be moved from",
  finding: ({ type, storagePairs }) => {
    const others = storagePairs.filter(({ sourceType }) => type === GuestType.LXC && !CONTAINER_TYPES.has(sourceType));
    const found = others.map(({ source, sourceType }) => `${source} (${sourceType})`).join(", ");
    return others.length === 0 ? null : `containers cannot be moved from ${found}`;
  },
};

const notEnoughStorage: MoveCheck = {
  code: "NOT_ENOUGH_STORAGE",
  passed: "the target's storages have room for the disks",
  finding: ({ shortfalls, storages, guest: { unsizedDisks } }) => {
    if (shortfalls.length > 0) return describeShortfalls(shortfalls);
    return unsizedDisks?.length === 0 ? unlessUnmapped(storages) : undefined;
  },
};

/**
 * The platform would give other names to volumes whose own are taken, and know a cloud-init drive no longer. Those of a guest that
 * has the VMID are that guest's.
 */
const volumesLeft: MoveCheck = {
  code: "TARGET_VOLUMES_LEFT",
  passed: "the target's storages have no volumes of the VMID",
  finding: ({ volumesLeft: left, targetVmid, targetVmidTaken, target: { node } }) => {
    if (left === null || targetVmidTaken) return undefined;
    return left.length === 0 ? null : `volumes on ${node} have the VMID ${targetVmid} already: ${left.join(", ")}`;
  },
};

/** The target compares what the configuration names with the rights of the temporary token, once the disks are copied. */
const stateStorageUnmapped: MoveCheck = {
  code: "STATE_STORAGE_UNMAPPED",
  passed: "the storage for the machine's states is one that takes disks, or none is stated",
  finding: ({ stateStorage, storages, target: { rights } }) => {
    const isMapped = storages.some(({ target }) => target === stateStorage);
    if (stateStorage === null || isMapped || rights.missingToLimit !== null) return null;
    return (
      `the states of the machine go to ${stateStorage}, and none of its disks goes to that storage on the target, which would ` +
      "refuse the machine once its disks are copied"
    );
  },
};

/** Every check of the disks' way. */
export const STORAGE_CHECKS: readonly MoveCheck[] = [
  storageUnmapped,
  storageFormat,
  storageTypeUnsupported,
  notEnoughStorage,
  volumesLeft,
  stateStorageUnmapped,
];

/** Where a storage goes that nothing was chosen for is not known. */
const unlessUnmapped = (storages: MoveFacts["storages"]): null | undefined =>
  describeUnmapped(storages) === null ? null : undefined;

const describePair = ({ source, sourceType, target, targetType }: StoragePair): string =>
  `${source} (${sourceType}) to ${target} (${targetType})`;
