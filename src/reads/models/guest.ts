// Reads guests.
import { Permission } from "../../core/access/permissions.js";
import { guestLockSql } from "../../core/guest/lock.js";
import { hosts } from "./host.js";
import { jobs } from "./job.js";
import {
  column,
  expression,
  gibSql,
  many,
  moment,
  momentSql,
  one,
  secondsSql,
  type ReadModel,
} from "../engine/model.js";
import { plans } from "./plan.js";
import { portForwards } from "./portForward.js";
import { users } from "./user.js";
import { visibleGuest } from "./visibility.js";

/** Figures of a guest that runs are as old as its host's last sync; a guest that does not run has none. */
const whileRunning = (sql: string) => (row: string) => `case when ${row}.status <> 'stopped' then ${row}.${sql} end`;

/** Addresses of zones and of the guest's configuration; most guests have none of the latter, which saves a sort. */
const ipAddresses = (row: string): string => {
  const ofZones = `select host(a.address) from ip_address a where a.guest_id = ${row}.id`;
  const all = `${ofZones} union select address from unnest(${row}.ip_addresses) address`;
  return `case when ${row}.ip_addresses = '{}' then array(${ofZones} order by 1) else array(${all} order by 1) end`;
};

export const guests: ReadModel = {
  type: "Guest",
  key: "id",
  from: (row) =>
    `guest ${row} left join node ${row}_node on ${row}_node.id = ${row}.node_id left join host ${row}_host on ${row}_host.id = ${row}.host_id`,
  visible: visibleGuest,
  fields: {
    id: column("id"),
    hostId: column("host_id"),
    host: {
      kind: "one",
      model: () => hosts,
      on: (row, child) => `${child}.id = ${row}.host_id`,
      permission: Permission.HOSTS_READ,
    },
    node: expression((row) => `${row}_node.name`),
    type: column("type"),
    vmid: column("vmid"),
    name: column("name"),
    status: column("status"),
    template: column("template"),
    lock: column("lock"),
    tags: column("tags"),
    cores: column("cores"),
    memoryMb: column("memory_mb"),
    totalDiskGb: expression((row) => `case when ${row}.unsized_disks = '{}' then ${gibSql(`${row}.disk_bytes`)} end`),
    unsizedDisks: column("unsized_disks"),
    diskGb: expression((row) => gibSql(`${row}.disk_bytes`)),
    cpuUsage: expression(whileRunning("cpu_usage")),
    memoryUsedMb: expression(whileRunning("memory_used_mb")),
    uptimeSeconds: expression(
      (row) =>
        `case when ${row}.status <> 'stopped' then greatest(0, ${secondsSql(`${row}.started_at`, `${row}_host.last_sync_at`)})::bigint end`,
    ),
    ownerId: column("owner_id"),
    owner: one(
      () => users,
      (row, child) => `${child}.id = ${row}.owner_id`,
    ),
    planId: column("plan_id"),
    plan: one(
      () => plans,
      (row, child) => `${child}.id = ${row}.plan_id`,
    ),
    ipAddresses: expression(ipAddresses),
    portForwards: many(
      () => portForwards,
      (row, child) => `${child}.guest_id = ${row}.id`,
      (child) => `${child}.id`,
    ),
    safetyCopy: column("safety_copy"),
    safetyCopyDeleteAt: moment("safety_copy_delete_at"),
    activeJob: one(
      () => jobs,
      (row, child) => `${child}.id = (select l.job_id from resource_lock l where l.key = ${guestLockSql(row)})`,
    ),
    lastSeenAt: expression((row) => momentSql(`coalesce(${row}.unseen_since, ${row}_host.last_sync_at)`)),
    createdAt: moment("created_at"),
  },
};
