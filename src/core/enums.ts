// Every closed set of values of the service, once: GraphQL shows the upper-case keys, REST and the database the lower-case values.

/** The two kinds of guests: QEMU virtual machine and LXC container. */
export const GuestType = {
  QEMU: "qemu",
  LXC: "lxc",
} as const;
export type GuestType = (typeof GuestType)[keyof typeof GuestType];

/** What a guest is doing, as last observed. */
export const GuestStatus = {
  RUNNING: "running",
  STOPPED: "stopped",
  PAUSED: "paused",
  SUSPENDED: "suspended",
  UNKNOWN: "unknown",
} as const;
export type GuestStatus = (typeof GuestStatus)[keyof typeof GuestStatus];

/** Whether a node answered at the last sync. */
export const NodeStatus = {
  ONLINE: "online",
  OFFLINE: "offline",
  UNKNOWN: "unknown",
} as const;
export type NodeStatus = (typeof NodeStatus)[keyof typeof NodeStatus];

/** What stands behind one connection. */
export const HostKind = {
  STANDALONE: "standalone",
  CLUSTER: "cluster",
} as const;
export type HostKind = (typeof HostKind)[keyof typeof HostKind];

/** What can be done to a guest's power. */
export const PowerAction = {
  START: "start",
  STOP: "stop",
  SHUTDOWN: "shutdown",
  REBOOT: "reboot",
  SUSPEND: "suspend",
  RESUME: "resume",
} as const;
export type PowerAction = (typeof PowerAction)[keyof typeof PowerAction];

/** The life of a job. */
export const JobStatus = {
  QUEUED: "queued",
  RUNNING: "running",
  DONE: "done",
  FAILED: "failed",
} as const;
export type JobStatus = (typeof JobStatus)[keyof typeof JobStatus];

/** The life of the undo of a step. */
export const UndoStatus = {
  RUNNING: "running",
  DONE: "done",
  KEPT: "kept",
  FAILED: "failed",
} as const;
export type UndoStatus = (typeof UndoStatus)[keyof typeof UndoStatus];

/** What a job does. */
export const JobKind = {
  GUEST_CREATE: "guest_create",
  GUEST_REINSTALL: "guest_reinstall",
  GUEST_DELETE: "guest_delete",
  MIGRATION: "migration",
  EVACUATION: "evacuation",
  BALANCE_RUN: "balance_run",
  SAFETY_COPY_DELETE: "safety_copy_delete",
} as const;
export type JobKind = (typeof JobKind)[keyof typeof JobKind];

/** LIVE: running VM, brief pause. RESTART: running container, stopped for the transfer. OFFLINE: stopped guest. */
export const MigrationMode = {
  LIVE: "live",
  RESTART: "restart",
  OFFLINE: "offline",
} as const;
export type MigrationMode = (typeof MigrationMode)[keyof typeof MigrationMode];

/** The life of a migration. */
export const MigrationStatus = {
  QUEUED: "queued",
  RUNNING: "running",
  DONE: "done",
  DONE_WITH_WARNINGS: "done_with_warnings",
  FAILED: "failed",
} as const;
export type MigrationStatus = (typeof MigrationStatus)[keyof typeof MigrationStatus];

/** The steps of a migration, in their order, and what each does. */
export const MIGRATION_STEPS = {
  PREFLIGHT: { description: "All checks are made again." },
  REACHABILITY: { description: "The source node's agent tests the connection to the target." },
  TARGET_TOKEN: { description: "A temporary token is made on the target." },
  TRANSFER: { description: "The platform copies the guest; at its end the guest is on the target." },
  IP_PLAN: { description: "The guest is unlocked and gets its address on the target." },
  PORT_FORWARDS: { description: "The port forwards move to the target's node." },
  RECORDS: { description: "The guest's record moves to the target, and the original gets one of its own." },
  SAFETY_COPY: { description: "The original becomes the safety copy." },
  FINISHED: { description: "The temporary token is removed." },
} as const;

const stepNames = Object.keys(MIGRATION_STEPS).map((name) => [name, name.toLowerCase()]);

/** The steps by name, in lower case as they are stored. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are those of the table
export const MigrationStep = Object.fromEntries(stepNames) as {
  readonly [Name in keyof typeof MIGRATION_STEPS]: Lowercase<Name>;
};
export type MigrationStep = (typeof MigrationStep)[keyof typeof MigrationStep];

/** What became of the original after a migration. */
export const SafetyCopyState = {
  NONE: "none",
  KEPT: "kept",
  DELETING: "deleting",
  DELETED: "deleted",
} as const;
export type SafetyCopyState = (typeof SafetyCopyState)[keyof typeof SafetyCopyState];

/** The life of an evacuation or a balance run. */
export const RunStatus = {
  QUEUED: "queued",
  RUNNING: "running",
  STOPPING: "stopping",
  STOPPED: "stopped",
  DONE: "done",
  DONE_WITH_WARNINGS: "done_with_warnings",
  FAILED: "failed",
} as const;
export type RunStatus = (typeof RunStatus)[keyof typeof RunStatus];

/** One guest of an evacuation or a balance run. */
export const RunItemStatus = {
  WAITING: "waiting",
  RUNNING: "running",
  DONE: "done",
  DONE_WITH_WARNINGS: "done_with_warnings",
  FAILED: "failed",
  SKIPPED: "skipped",
} as const;
export type RunItemStatus = (typeof RunItemStatus)[keyof typeof RunItemStatus];

/** Who a person is to the service. */
export const UserRole = {
  ADMIN: "admin",
  OPERATOR: "operator",
  RESELLER: "reseller",
  CUSTOMER: "customer",
} as const;
export type UserRole = (typeof UserRole)[keyof typeof UserRole];

/** How a sign-in ended. */
export const SignInOutcome = {
  SIGNED_IN: "signed_in",
  WRONG_PASSWORD: "wrong_password",
  ACCOUNT_DISABLED: "account_disabled",
  WRONG_CODE: "wrong_code",
} as const;
export type SignInOutcome = (typeof SignInOutcome)[keyof typeof SignInOutcome];

/** What a person proves who they are with, beside the password. */
export const SecondFactorMethod = {
  TOTP: "totp",
  RECOVERY_CODE: "recovery_code",
} as const;
export type SecondFactorMethod = (typeof SecondFactorMethod)[keyof typeof SecondFactorMethod];

/** How a session is sent with each request. */
export const SessionKind = {
  BEARER: "bearer",
  COOKIE: "cookie",
} as const;
export type SessionKind = (typeof SessionKind)[keyof typeof SessionKind];

/** The outcome of one check of a plan. */
export const Severity = {
  BLOCKING: "blocking",
  WARNING: "warning",
  PASSED: "passed",
} as const;
export type Severity = (typeof Severity)[keyof typeof Severity];

/** The direction of a sorted list. */
export const SortDirection = {
  ASC: "asc",
  DESC: "desc",
} as const;
export type SortDirection = (typeof SortDirection)[keyof typeof SortDirection];

/** What a list of guests can be sorted by. */
export const GuestSortField = {
  VMID: "vmid",
  NAME: "name",
  STATUS: "status",
  MEMORY: "memory",
  CPU: "cpu",
  CREATED: "created",
} as const;
export type GuestSortField = (typeof GuestSortField)[keyof typeof GuestSortField];

/** What happens to a guest's address when it moves to another host. */
export const IpPlanKind = {
  KEEP: "keep",
  REASSIGN: "reassign",
  UNTOUCHED: "untouched",
} as const;
export type IpPlanKind = (typeof IpPlanKind)[keyof typeof IpPlanKind];

/** How balancing chooses the guests that leave a hot node. */
export const BalanceMode = {
  SMALLEST_FIRST: "smallest_first",
  FEWEST_MOVES: "fewest_moves",
  LEAST_COPY: "least_copy",
} as const;
export type BalanceMode = (typeof BalanceMode)[keyof typeof BalanceMode];

/** What an operator should know of. */
export const AlertCode = {
  GUEST_OVER_PLAN: "guest_over_plan",
  GUEST_PAST_RUNTIME: "guest_past_runtime",
  GUEST_REPLACED: "guest_replaced",
  NODE_OFFLINE: "node_offline",
  AGENT_STALE: "agent_stale",
  INVENTORY_STALE: "inventory_stale",
  HOST_CONNECTED_TWICE: "host_connected_twice",
  MIGRATION_FAILED: "migration_failed",
  DUTY_UNATTENDED: "duty_unattended",
  TASK_OVERDUE: "task_overdue",
  REQUEST_LOG_BUDGET: "request_log_budget",
} as const;
export type AlertCode = (typeof AlertCode)[keyof typeof AlertCode];
