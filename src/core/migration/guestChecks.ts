// The checks that a guest must pass before it may leave its host, on its traits alone.
import { Severity } from "../enums.js";
import type { Check, CheckRule } from "./check.js";
import type { GuestTraits } from "./guestTraits.js";

type GuestCheck = CheckRule<GuestTraits>;

const unlessEmpty = (names: readonly string[], sentence: string): string | null =>
  names.length === 0 ? null : `${sentence}: ${names.join(", ")}`;

const isTemplate: GuestCheck = {
  code: "IS_TEMPLATE",
  passed: "the guest is no template",
  finding: ({ template }) => (template ? "the guest is a template" : null),
};

const isSafetyCopy: GuestCheck = {
  code: "IS_SAFETY_COPY",
  passed: "the guest is no safety copy",
  finding: ({ safetyCopy }) => (safetyCopy ? "the guest is the safety copy of one that has moved" : null),
};

const hasSnapshots: GuestCheck = {
  code: "HAS_SNAPSHOTS",
  passed: "the guest has no snapshots",
  finding: ({ snapshots }) => unlessEmpty(snapshots, "the guest has snapshots"),
};

const hasPciPassthrough: GuestCheck = {
  code: "HAS_PCI_PASSTHROUGH",
  passed: "no PCI device is passed through",
  finding: ({ pciDevices }) => unlessEmpty(pciDevices, "PCI devices of the node are passed through"),
};

const hasUsbPassthrough: GuestCheck = {
  code: "HAS_USB_PASSTHROUGH",
  passed: "no USB device is passed through",
  finding: ({ usbDevices }) => unlessEmpty(usbDevices, "USB devices of the node are passed through"),
};

const hasMountedIso: GuestCheck = {
  code: "HAS_MOUNTED_ISO",
  passed: "no ISO is mounted",
  finding: ({ mountedMedia }) => unlessEmpty(mountedMedia, "a CD drive is not empty"),
};

const hasContainerDevices: GuestCheck = {
  code: "HAS_CONTAINER_DEVICES",
  passed: "the container has no device entries",
  finding: ({ containerDevices }) => unlessEmpty(containerDevices, "the container has devices of the node"),
};

const hasRawLxcKeys: GuestCheck = {
  code: "HAS_RAW_LXC_KEYS",
  passed: "the container has no raw configuration keys",
  finding: ({ rawLxcKeys }) => unlessEmpty(rawLxcKeys, "raw configuration keys would be lost on the target"),
};

const hasBindMounts: GuestCheck = {
  code: "HAS_BIND_MOUNTS",
  passed: "every disk and mount point is a volume",
  finding: ({ hostPaths }) => unlessEmpty(hostPaths, "paths of the node are mounted"),
};

const hasRootOnlySettings: GuestCheck = {
  code: "HAS_ROOT_ONLY_SETTINGS",
  passed: "no setting needs the superuser on the target",
  finding: ({ rootOnlySettings }) =>
    unlessEmpty(rootOnlySettings, "only root@pam may apply these settings on the target"),
};

const multiplePanelAddresses: GuestCheck = {
  code: "MULTIPLE_PANEL_ADDRESSES",
  passed: "the guest has at most one address of an IP zone",
  finding: ({ panelAddresses }) =>
    panelAddresses > 1 ? `the guest has ${panelAddresses} addresses of IP zones, at most 1 can move` : null,
};

const guestBusy: GuestCheck = {
  code: "GUEST_BUSY",
  passed: "nothing else works on the guest",
  finding: ({ busyWith }) => (busyWith === null ? null : `the guest is busy: ${busyWith}`),
};

const guestLocked: GuestCheck = {
  code: "GUEST_LOCKED",
  passed: "the guest is not locked",
  finding: ({ lock }) => (lock === null ? null : `the guest is locked: ${lock}`),
};

const haManaged: GuestCheck = {
  code: "HA_MANAGED",
  passed: "the guest is not managed by high availability",
  finding: (traits) => (traits.haManaged ? "the guest is managed by high availability" : null),
};

const hasReplication: GuestCheck = {
  code: "HAS_REPLICATION",
  passed: "the guest is not replicated",
  finding: ({ replicated }) => (replicated ? "the guest has a replication job" : null),
};

const isLinkedClone: GuestCheck = {
  code: "IS_LINKED_CLONE",
  passed: "no disk is a linked clone",
  finding: ({ linkedClones }) => unlessEmpty(linkedClones, "disks are linked clones"),
};

const hasCustomCpu: GuestCheck = {
  code: "HAS_CUSTOM_CPU",
  passed: "the CPU model is one that every host knows",
  finding: ({ customCpu }) =>
    customCpu === null ? null : `the CPU model ${customCpu} is defined by the source host: the target would refuse it`,
};

const hasPendingDisks: GuestCheck = {
  code: "HAS_PENDING_DISKS",
  passed: "no disk waits for a restart to be attached",
  finding: ({ pendingDisks }) =>
    unlessEmpty(pendingDisks, "disks that wait for a restart would belong to no guest on the target"),
};

const hasCloudInitFiles: GuestCheck = {
  code: "HAS_CLOUD_INIT_FILES",
  severity: Severity.WARNING,
  passed: "cloud-init needs no files of the source host",
  finding: ({ cloudInitFiles }) =>
    unlessEmpty(cloudInitFiles, "files that cloud-init needs stay on the source, and no start succeeds without them"),
};

const hasPendingChanges: GuestCheck = {
  code: "HAS_PENDING_CHANGES",
  severity: Severity.WARNING,
  passed: "no change waits for a restart",
  finding: ({ pendingKeys }) => unlessEmpty(pendingKeys, "changes that wait for a restart are lost by the move"),
};

const diskSizeUnknown: GuestCheck = {
  code: "DISK_SIZE_UNKNOWN",
  passed: "the size of every disk is known",
  finding: ({ unsizedDisks }) => {
    if (unsizedDisks === null) return "the guest's configuration was not read yet: what its disks need is not known";
    return unlessEmpty(
      unsizedDisks,
      "neither the configuration nor the storage states the size of disks, so that no target can be shown to have room for them",
    );
  },
};

/** Every check of a guest, the most telling first. */
export const GUEST_CHECKS: readonly GuestCheck[] = [
  isTemplate,
  isSafetyCopy,
  guestBusy,
  guestLocked,
  hasSnapshots,
  hasPciPassthrough,
  hasUsbPassthrough,
  hasMountedIso,
  hasContainerDevices,
  hasRawLxcKeys,
  hasBindMounts,
  hasRootOnlySettings,
  isLinkedClone,
  hasCustomCpu,
  multiplePanelAddresses,
  haManaged,
  hasReplication,
  hasPendingDisks,
  diskSizeUnknown,
  hasPendingChanges,
  hasCloudInitFiles,
];

/** @returns whether one of the problems is the guest's own: that stands against it on every target. */
export const isOwnFault = (problems: readonly Check[]): boolean =>
  problems.some((problem) => GUEST_CHECKS.some(({ code }) => code === problem.code));
