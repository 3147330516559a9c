// What the values of the API are called: statuses, kinds of jobs, steps, modes, roles, permissions.
import type {
  BalanceMode,
  GuestStatus,
  HostKind,
  JobKind,
  JobStatus,
  MigrationMode,
  MigrationStatus,
  MigrationStep,
  NodeStatus,
  PowerAction,
  RunItemStatus,
  RunStatus,
  SafetyCopyState,
  UndoStatus,
  UserRole,
} from "../generated/documents.js";

/** `blocked`: it waits to retry something; `rolling back`: it has failed. */
type ShownStatus =
  | GuestStatus
  | NodeStatus
  | JobStatus
  | MigrationStatus
  | RunStatus
  | RunItemStatus
  | "ROLLBACK"
  | "HELD_UP"
  | "ACTIVE"
  | "EXPIRED"
  | "REVOKED";

const STATUSES: Readonly<Record<ShownStatus, string>> = {
  RUNNING: "running",
  STOPPED: "stopped",
  PAUSED: "paused",
  SUSPENDED: "suspended",
  UNKNOWN: "unknown",
  ONLINE: "online",
  OFFLINE: "offline",
  QUEUED: "queued",
  WAITING: "waiting",
  STOPPING: "stopping",
  SKIPPED: "skipped",
  DONE: "done",
  DONE_WITH_WARNINGS: "done with warnings",
  FAILED: "failed",
  ROLLBACK: "rolling back",
  HELD_UP: "blocked",
  ACTIVE: "active",
  EXPIRED: "expired",
  REVOKED: "revoked",
};

const RUN_ITEM_STATUSES: Readonly<Record<RunItemStatus, string>> = {
  DONE: "migrated",
  DONE_WITH_WARNINGS: "migrated with warnings",
  FAILED: "failed",
  SKIPPED: "skipped",
  RUNNING: "migrating",
  WAITING: "waiting",
};

const JOB_KINDS: Readonly<Record<JobKind, string>> = {
  GUEST_CREATE: "Create guest",
  GUEST_DELETE: "Delete guest",
  GUEST_REINSTALL: "Reinstall guest",
  MIGRATION: "Migrate guest",
  EVACUATION: "Evacuation",
  BALANCE_RUN: "Balance run",
  SAFETY_COPY_DELETE: "Delete safety copy",
};

const MIGRATION_STEPS: Readonly<Record<MigrationStep, string>> = {
  PREFLIGHT: "pre-flight checks",
  REACHABILITY: "connection test",
  TARGET_TOKEN: "temporary credentials",
  TRANSFER: "transfer",
  IP_PLAN: "IP address",
  PORT_FORWARDS: "port forwards",
  RECORDS: "inventory update",
  SAFETY_COPY: "safety copy",
  FINISHED: "credential cleanup",
};

/** The steps of jobs, which are plain names; of a migration they are those of its enum in lower case. */
const STEPS: Readonly<Record<string, string>> = {
  ...MIGRATION_STEPS,
  RECHECK: "placement check",
  RECORD: "inventory update",
  CREATE: "create guest",
  CONFIGURE: "configuration",
  RESIZE: "disk resize",
  START: "start",
  STOP: "stop",
  EXAMINE: "checks",
  DESTROY: "delete disks",
  FORGET: "inventory cleanup",
  FIREWALL: "firewall",
  ACCESS: "access",
  MOVEGUESTS: "migrations",
};

const MODES: Readonly<Record<MigrationMode, string>> = { LIVE: "live", RESTART: "restart", OFFLINE: "offline" };

const BALANCE_MODES: Readonly<Record<BalanceMode, string>> = {
  SMALLEST_FIRST: "Smallest first",
  FEWEST_MOVES: "Fewest migrations",
  LEAST_COPY: "Least data",
};

const SAFETY_COPIES: Readonly<Record<SafetyCopyState, string>> = {
  NONE: "none",
  KEPT: "kept",
  DELETING: "being deleted",
  DELETED: "deleted",
};

const HOST_KINDS: Readonly<Record<HostKind, string>> = { STANDALONE: "standalone", CLUSTER: "cluster" };

const ROLES: Readonly<Record<UserRole, string>> = {
  ADMIN: "admin",
  OPERATOR: "operator",
  RESELLER: "reseller",
  CUSTOMER: "customer",
};

const PERMISSIONS: Readonly<Record<string, string>> = {
  "hosts.manage": "Manage hosts",
  "hosts.read": "View hosts",
  "guests.create": "Create and delete guests",
  "guests.operate": "Operate guests",
  "users.manage": "Manage users",
};

const POWER: Readonly<Record<PowerAction, string>> = {
  START: "Start",
  STOP: "Stop",
  SHUTDOWN: "Shut down",
  REBOOT: "Reboot",
  SUSPEND: "Suspend",
  RESUME: "Resume",
};

const POWER_REQUESTED: Readonly<Record<PowerAction, string>> = {
  START: "Start requested",
  STOP: "Stop requested",
  SHUTDOWN: "Shutdown requested",
  REBOOT: "Reboot requested",
  SUSPEND: "Suspend requested",
  RESUME: "Resume requested",
};

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Of anything with a status; one that is not known here is shown as it is. */
export const statusText = (status: string): string =>
  new Map(Object.entries(STATUSES)).get(status.toUpperCase()) ?? status;

/** The same where it begins a line, as in a filter. */
export const statusLabel = (status: string): string => capitalized(statusText(status));

/** Of a guest in an evacuation or a balance run. */
export const runItemStatusText = (status: RunItemStatus): string => RUN_ITEM_STATUSES[status];

export const jobKindText = (kind: JobKind): string => JOB_KINDS[kind];

/** Of a migration or of any other job. */
export const stepText = (step: string): string => STEPS[step.toUpperCase()] ?? step;

export const stepLabel = (step: string): string => capitalized(stepText(step));

const UNDO_STATUSES: Readonly<Record<UndoStatus, string>> = {
  RUNNING: "being undone",
  DONE: "undone",
  KEPT: "kept as it is",
  FAILED: "not fully undone",
};

export const undoText = (status: UndoStatus): string => UNDO_STATUSES[status];

export const migrationModeText = (mode: MigrationMode): string => MODES[mode];

export const balanceModeText = (mode: BalanceMode): string => BALANCE_MODES[mode];

export const safetyCopyText = (state: SafetyCopyState): string => SAFETY_COPIES[state];

const hostKindText = (kind: HostKind): string => HOST_KINDS[kind];

/** The name of its cluster, where there is one, tells more than the kind. */
export const hostTypeText = ({
  kind,
  clusterName,
}: {
  readonly kind: HostKind;
  readonly clusterName: string | null;
}): string => (clusterName === null ? hostKindText(kind) : `cluster ${clusterName}`);

export const roleText = (role: UserRole): string => ROLES[role];

export const roleLabel = (role: UserRole): string => capitalized(roleText(role));

export const permissionText = (permission: string): string => PERMISSIONS[permission] ?? permission;

export const powerText = (action: PowerAction): string => POWER[action];

export const powerRequestedText = (action: PowerAction): string => POWER_REQUESTED[action];

/** `VM` or `CT`, as Proxmox VE abbreviates them. */
export const guestTypeMark = (type: "QEMU" | "LXC"): string => (type === "LXC" ? "CT" : "VM");
