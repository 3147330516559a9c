// Reads what earlier moves on the routes of planned ones have shown: parts of the statement that reads all about them.
import type { MigrationMode } from "../core/enums.js";
import { LEAST_BYTES_OF_A_PACE, MOVES_A_PACE, type RouteHistory } from "../core/migration/estimate.js";

/** The way of a move between nodes, with its limit: a route at one limit may show another pace than at another. */
interface Route {
  readonly hostId: number;
  readonly node: string;
  readonly toHostId: number;
  readonly toNode: string;
  /** MiB/s; null: none. */
  readonly bandwidthMib: number | null;
}

/**
 * Parts `route` and `earlier` of a statement with a part `asked` (host_id, node, to_host_id, to_node, bandwidth_mib): the routes that
 * are asked about, and every successful move that went one of them. The limit of one whose job is gone is not known, and
 * counts as none.
 */
export const ROUTES = `
  route as (
    select distinct host_id, node, to_host_id, to_node,
      coalesce(bandwidth_mib, (select migration_bandwidth_mib from setting)) as bandwidth_mib
    from asked
  ), earlier as materialized (
    select m.id, m.source_host_id as host_id, m.source_node as node, m.target_host_id as to_host_id, m.target_node as to_node,
      m.mode, m.bytes_total as bytes, extract(epoch from m.finished_at - m.started_at) as seconds, m.finished_at,
      (j.input->>'bandwidthMib')::int as bandwidth_mib
    from migration m left join job j on j.id = m.job_id
    where (m.source_host_id, m.source_node, m.target_host_id, m.target_node) in (select host_id, node, to_host_id, to_node from asked)
      and m.status in ('done', 'done_with_warnings')
      -- The time until somebody started it again is no duration.
      and (j.created_at > m.started_at) is not true
  )`;

const ROUTE_OF_R = `'hostId', r.host_id, 'node', r.node, 'toHostId', r.to_host_id, 'toNode', r.to_node`;

/** Of the newest moves that count, each mode by itself. A stricter limit than that of the move held them back, so they show nothing. */
const NEWEST = `
  select r.*, e.mode, e.bytes, e.seconds, row_number() over (
    partition by r.host_id, r.node, r.to_host_id, r.to_node, r.bandwidth_mib, e.mode order by e.finished_at desc, e.id desc) as age
  from route r join earlier e using (host_id, node, to_host_id, to_node)
  where e.bytes >= ${LEAST_BYTES_OF_A_PACE} and e.seconds > 0
    and (e.bandwidth_mib is null or e.bandwidth_mib >= r.bandwidth_mib)`;

/** Members of the answer of a statement with the parts of `ROUTES`: `FoundHistories`. */
export const HISTORIES = `
    'averages', (select coalesce(json_agg(json_build_object(${ROUTE_OF_R}, 'seconds', r.seconds)), '[]')
      from (select host_id, node, to_host_id, to_node, avg(seconds) as seconds
        from earlier group by host_id, node, to_host_id, to_node) r),
    'paces', (select coalesce(json_agg(json_build_object(${ROUTE_OF_R}, 'bandwidthMib', r.bandwidth_mib, 'mode', r.mode,
        'bytes', r.bytes, 'seconds', r.seconds)), '[]')
      from (select host_id, node, to_host_id, to_node, bandwidth_mib, mode, sum(bytes) as bytes, sum(seconds) as seconds
        from (${NEWEST}) n where age <= ${MOVES_A_PACE}
        group by host_id, node, to_host_id, to_node, bandwidth_mib, mode) r)`;

export interface FoundHistories {
  readonly averages: readonly (Omit<Route, "bandwidthMib"> & { readonly seconds: number })[];
  readonly paces: readonly (Route & {
    readonly mode: MigrationMode;
    readonly bytes: number;
    readonly seconds: number;
  })[];
}

/** @returns what tells the history of a route that was among those asked about */
export function historiesIn(found: FoundHistories): (route: Route) => RouteHistory {
  const averages = new Map(found.averages.map((one) => [wayKey(one), one.seconds]));
  const paces = Map.groupBy(found.paces, routeKey);
  return (route) => ({
    averageSeconds: averages.get(wayKey(route)) ?? null,
    paces: (paces.get(routeKey(route)) ?? []).map(({ mode, bytes, seconds }) => ({ mode, bytes, seconds })),
  });
}

const wayKey = ({ hostId, node, toHostId, toNode }: Omit<Route, "bandwidthMib">): string =>
  `${hostId}/${node}>${toHostId}/${toNode}`;

const routeKey = (route: Route): string => `${wayKey(route)} ${route.bandwidthMib ?? "unlimited"}`;
