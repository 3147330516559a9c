// Reads nodes, their agents and the history of their load.
import type { NodeStatus } from "../../core/enums.js";
import { DEFAULT_PLACEMENT_SETTINGS } from "../../core/placement/context.js";
import { REQUIRED_AGENT_VERSION } from "../../core/version.js";
import { contains, given, type Optional } from "../engine/criteria.js";
import { hosts } from "./host.js";
import {
  column,
  expression,
  many,
  moment,
  momentSql,
  secondsSql,
  one,
  visibleToAll,
  type Column,
  type ReadModel,
} from "../engine/model.js";
import { networks } from "./network.js";
import type { Clause } from "../engine/read.js";
import { presentTime } from "../engine/statement.js";
import { storages } from "./storage.js";
import { visibleGuest, visibleNode } from "./visibility.js";

/** The required agent version as SQL compares it. */
const REQUIRED_VERSION = `'{${REQUIRED_AGENT_VERSION.replaceAll(".", ",")}}'::int[]`;

/** Average CPU of the last 30 minutes; unknown when the node has not been sampled in them. */
const cpuAverage = (row: string, now: string): string =>
  `case when ${row}.sampled_at > ${now}::timestamptz - interval '30 minutes' then ${row}.cpu_average_30m end`;

const memoryShare = (row: string): string =>
  `case when ${row}.load_known then ${row}.memory_used_mb::float8 / nullif(${row}.memory_mb, 0) * 100 end`;

/** Whether RAM or the average CPU is above its threshold. */
const hotSql = (row: string, now: string): string =>
  `(select coalesce(${memoryShare(row)} > s.ram_threshold_percent, false) or coalesce((${cpuAverage(row, now)}) * 100 > s.cpu_threshold_percent, false) from setting s)`;

/** Safety copies are no load: they count nowhere. */
const guestCount: Column["sql"] = (row, bind, viewer) =>
  `(select count(*)::int from guest gc where gc.node_id = ${row}.id and not gc.safety_copy and ${visibleGuest("gc", viewer, bind)})`;

/** The greater of what RAM and the average CPU are of their thresholds; unknown when neither is known. */
const heatSql = (row: string, now: string): string =>
  `(select greatest(${memoryShare(row)} / s.ram_threshold_percent, (${cpuAverage(row, now)}) * 100 / s.cpu_threshold_percent) from setting s)`;

const agents: ReadModel = {
  type: "Agent",
  from: (row) => `agent ${row}`,
  visible: visibleToAll,
  fields: {
    version: column("version"),
    current: expression(
      (row, bind) =>
        `coalesce(${row}.last_seen_at >= ${bind(presentTime)}::timestamptz - interval '${DEFAULT_PLACEMENT_SETTINGS.agentStaleSeconds} seconds' and string_to_array(substring(${row}.version from '^\\d+(?:\\.\\d+)*'), '.')::int[] >= ${REQUIRED_VERSION}, false)`,
    ),
    healthy: column("healthy"),
    lastSeenAt: moment("last_seen_at"),
  },
};

const samples: ReadModel = {
  type: "NodeSample",
  from: (row) => `node_sample ${row}`,
  visible: visibleToAll,
  fields: {
    at: expression((row) => momentSql(`${row}.at`)),
    cpuUsage: column("cpu_usage"),
    memoryUsedMb: column("memory_used_mb"),
  },
};

export const nodes: ReadModel = {
  type: "Node",
  key: "id",
  from: (row) => `node ${row}`,
  visible: visibleNode,
  fields: {
    hostId: column("host_id"),
    host: one(
      () => hosts,
      (row, child) => `${child}.id = ${row}.host_id`,
    ),
    name: column("name"),
    status: column("status"),
    version: column("version"),
    qemuServerVersion: column("qemu_server"),
    pveContainerVersion: column("pve_container"),
    architecture: column("architecture"),
    uptimeSeconds: expression(
      (row, bind) =>
        `case when ${row}.status = 'online' then ${secondsSql(`${row}.started_at`, `${bind(presentTime)}::timestamptz`)}::bigint end`,
    ),
    cpuCores: column("cpu_cores"),
    cpuUsage: column("cpu_usage"),
    cpuAverage30m: expression((row, bind) => cpuAverage(row, bind(presentTime))),
    loadKnown: column("load_known"),
    memoryMb: column("memory_mb"),
    memoryUsedMb: column("memory_used_mb"),
    guestCount: expression(guestCount),
    hot: expression((row, bind) => hotSql(row, bind(presentTime))),
    natConfigured: expression(
      (row) => `coalesce((select a.nat_configured from agent a where a.node_id = ${row}.id), false)`,
    ),
    publicAddress: expression((row) => `(select a.public_address from agent a where a.node_id = ${row}.id)`),
    agent: one(
      () => agents,
      (row, child) => `${child}.node_id = ${row}.id`,
    ),
    storages: many(
      () => storages,
      (row, child) => `${child}.node_id = ${row}.id`,
      (child) => `${child}.name`,
    ),
    networks: many(
      () => networks,
      (row, child) => `${child}.node_id = ${row}.id`,
      (child) => `${child}.name`,
    ),
    samples: {
      kind: "many",
      model: () => samples,
      arguments: { minutes: 60 },
      on: (row, child, argument, bind) =>
        `${child}.node_id = ${row}.id and ${child}.at > ${bind(presentTime)}::timestamptz - make_interval(mins => ${argument("minutes")}::int)`,
      orderBy: (child) => `${child}.at`,
    },
    /** REST only: the host's switch, shown on each of its nodes. */
    maintenance: expression((row) => `(select h.maintenance from host h where h.id = ${row}.host_id)`),
  },
};

/** Which nodes to list; what is left out does not restrict. */
interface NodeCriteria {
  readonly hostId?: Optional<number>;
  readonly otherThanHostId?: Optional<number>;
  readonly status?: Optional<NodeStatus>;
  readonly hot?: Optional<boolean>;
  readonly agentHealthy?: Optional<boolean>;
  /** Part of `host / node`, in any case. */
  readonly search?: Optional<string>;
}

/** The conditions of a filter. */
export const nodeClauses = (
  { hostId, otherThanHostId, status, hot, agentHealthy, search }: NodeCriteria,
  now: Date,
): Clause[] => [
  ...given(hostId, (row, id) => `${row}.host_id = ${id}`),
  ...given(otherThanHostId, (row, id) => `${row}.host_id <> ${id}`),
  ...given(status, (row, wanted) => `${row}.status = ${wanted}`),
  ...(typeof hot === "boolean"
    ? [(row: string, value: (given: unknown) => string) => `${hotSql(row, value(now))} = ${value(hot)}`]
    : []),
  ...given(
    agentHealthy,
    (row, healthy) => `exists (select from agent a where a.node_id = ${row}.id and a.healthy = ${healthy})`,
  ),
  ...given(
    typeof search === "string" ? contains(search) : null,
    (row, pattern) =>
      `(select h.name from host h where h.id = ${row}.host_id) || ' / ' || ${row}.name ilike ${pattern}`,
  ),
];

/** The order of a list of nodes; ties go by host and name. */
export const nodeOrder =
  (hottestFirst: boolean, now: Date): Clause =>
  (row, value) => {
    const byName = `${row}.host_id, ${row}.name`;
    return hottestFirst ? `${heatSql(row, value(now))} desc nulls last, ${byName}` : byName;
  };
