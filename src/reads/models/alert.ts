// Reads the alerts for operators: guests beyond their plans or replaced by others, nodes and agents that are away, stale inventories, machines with two hosts, failed moves, work that nobody does, a request log at its budget.
import { AlertCode, JobKind } from "../../core/enums.js";
import { guestLockSql } from "../../core/guest/lock.js";
import { DEFAULT_PLACEMENT_SETTINGS } from "../../core/placement/context.js";
import { column, expression, momentSql, type ReadModel } from "../engine/model.js";
import { LATE_TASKS, UNATTENDED_DUTIES } from "./duty.js";
import { isLatestMove } from "./migration.js";
import { presentTime } from "../engine/statement.js";
import { visibleHost, visibleMove } from "./visibility.js";

const GIB = "1073741824.0";
const MIB = "1048576";

/** Guests that a plan counts for; a safety copy is nobody's, and one that moves is counted again at its end. */
const COUNTED = `
  guest g join node n on n.id = g.node_id join plan p on p.id = g.plan_id
  where g.gone_at is null and not g.safety_copy and not g.template and not exists (
    select 1 from resource_lock l join job j on j.id = l.job_id
    where l.key = ${guestLockSql("g")} and j.kind = '${JobKind.MIGRATION}')`;

const GUEST = `g.host_id, n.name as node, g.id as guest_id, g.vmid, null::int as migration_id`;

/** What a plan's figure means: what a template brings besides, or somebody adds, is no part of it. All disks while they are not told apart. */
const SYSTEM_DISK = `coalesce(g.system_disk_bytes, g.disk_bytes)`;

const OVER_PLAN = `
  select '${AlertCode.GUEST_OVER_PLAN}' as code, ${GUEST}, null::timestamptz as since,
    format('guest %s has %s cores, %s MiB of RAM and a system disk of %s GiB, its plan %s allows %s, %s and %s', g.vmid, g.cores, g.memory_mb,
      round(${SYSTEM_DISK} / ${GIB}, 1), p.name, p.cores, p.memory_mb, p.disk_gb) as message
  from ${COUNTED} and (g.cores > p.cores or g.memory_mb > p.memory_mb or ${SYSTEM_DISK} > p.disk_gb * ${GIB})`;

const PAST_RUNTIME = `
  select '${AlertCode.GUEST_PAST_RUNTIME}', ${GUEST}, g.created_at + p.runtime_days * interval '1 day',
    format('guest %s is older than the %s days of its plan %s', g.vmid, p.runtime_days, p.name)
  from ${COUNTED} and p.runtime_days is not null`;

/** The two rows are written by one sync. Until somebody says whose the new guest is, or the old one is forgotten. */
const REPLACED = `
  select '${AlertCode.GUEST_REPLACED}', ${GUEST}, g.created_at, format(
    'guest %s is another one than before: the former belonged to %s, this one to nobody', g.vmid, u.username)
  from guest g join node n on n.id = g.node_id
    join guest former on former.host_id = g.host_id and former.vmid = g.vmid and former.gone_at = g.created_at
    join user_account u on u.id = former.owner_id
  where g.gone_at is null and g.owner_id is null and not g.safety_copy and not former.safety_copy`;

const NODE_OFFLINE = `
  select '${AlertCode.NODE_OFFLINE}', n.host_id, n.name, null, null, null, null, format('node %s of %s is offline', n.name, h.name)
  from node n join host h on h.id = n.host_id where n.status = 'offline' and h.active`;

const AGENT_STALE = `
  select '${AlertCode.AGENT_STALE}', n.host_id, n.name, null, null, null,
    a.last_seen_at + interval '${DEFAULT_PLACEMENT_SETTINGS.agentStaleSeconds} seconds', format('the agent of %s is silent', n.name)
  from agent a join node n on n.id = a.node_id join host h on h.id = n.host_id where h.active and a.last_seen_at is not null`;

const INVENTORY_STALE = `
  select '${AlertCode.INVENTORY_STALE}', h.id, null, null, null, null,
    coalesce(h.last_sync_at, h.created_at) + interval '${DEFAULT_PLACEMENT_SETTINGS.inventoryStaleSeconds} seconds',
    format('what is known of host %s is old', h.name) || coalesce(': ' || h.last_sync_error, '')
  from host h where h.active and h.same_as_host_id is null`;

const CONNECTED_TWICE = `
  select '${AlertCode.HOST_CONNECTED_TWICE}', h.id, null, null, null, null, null,
    format('hosts %s and %s have the same machines, %s is not read: remove one of the two', o.name, h.name, h.name)
  from host h join host o on o.id = h.same_as_host_id where h.active`;

const MIGRATION_FAILED = `
  select '${AlertCode.MIGRATION_FAILED}', m.source_host_id, m.source_node, m.guest_id, m.vmid, m.id, m.finished_at,
    format('the move of guest %s to %s failed: %s', m.vmid, m.target_node, m.error)
  from migration m where m.status = 'failed' and ${isLatestMove("m")}`;

/** Alerts of the service itself have no host: a viewer who is limited to hosts does not see them. */
const OF_SERVICE = `null::int, null, null, null, null`;

const DUTY_UNATTENDED = `
  select '${AlertCode.DUTY_UNATTENDED}', ${OF_SERVICE}, null, format(
    'no process %s: start a service of the role worker or all, or npx drover worker (duty %s)', d.words, d.duty)
  from (${UNATTENDED_DUTIES}) d`;

const TASK_OVERDUE = `
  select '${AlertCode.TASK_OVERDUE}', ${OF_SERVICE}, t.since,
    format('the task %s ', t.task) || coalesce('fails: ' || t.error, 'was not finished in time')
  from (${LATE_TASKS}) t`;

/** Of the largest size at which there is none. */
const NEARLY_FULL = 0.8;

const REQUEST_LOG_BUDGET = `
  select '${AlertCode.REQUEST_LOG_BUDGET}', ${OF_SERVICE}, b.dropped_at, format(
    case when b.dropped_at is null
      then 'the request log takes %s MiB of disk: at %s MiB its oldest day is dropped (requestLogMaxMb)'
      else 'the request log takes %s MiB of disk: at %s MiB (requestLogMaxMb) it was dropped up to %s' end,
    b.size_bytes / ${MIB}, s.request_log_max_mb, b.dropped_through)
  from request_log_budget b cross join setting s
  where b.dropped_at is not null or b.size_bytes >= ${NEARLY_FULL} * s.request_log_max_mb * ${MIB}::bigint`;

const ALERTS = [
  OVER_PLAN,
  PAST_RUNTIME,
  REPLACED,
  NODE_OFFLINE,
  AGENT_STALE,
  INVENTORY_STALE,
  CONNECTED_TWICE,
  MIGRATION_FAILED,
  DUTY_UNATTENDED,
  TASK_OVERDUE,
  REQUEST_LOG_BUDGET,
].join("\n  union all");

/** Its resolvers ask for `hosts.manage`. */
export const alerts: ReadModel = {
  type: "Alert",
  from: (row) => `(${ALERTS}) ${row}`,
  // What is not yet so, such as the end of a young guest's runtime, is none.
  visible(row, viewer, bind) {
    const isDue = `(${row}.since is null or ${row}.since < ${bind(presentTime)}::timestamptz)`;
    const host = visibleHost(`${row}.host_id`, viewer, bind);
    const move = visibleMove("move", viewer, bind);
    if (host === null || move === null) return isDue;
    const ofMove = `exists (select 1 from migration move where move.id = ${row}.migration_id and ${move})`;
    return `${isDue} and ${host} and (${row}.migration_id is null or ${ofMove})`;
  },
  fields: {
    code: column("code"),
    message: column("message"),
    hostId: column("host_id"),
    node: column("node"),
    guestId: column("guest_id"),
    vmid: column("vmid"),
    migrationId: column("migration_id"),
    since: expression((row) => momentSql(`${row}.since`)),
  },
};
