// Looks up, in one statement, all that the database knows for the move of a guest.
import type { Pool } from "pg";
import type { GuestType } from "../../core/enums.js";
import { notFound, validationError } from "../../errors.js";
import type { MoveWish } from "./wish.js";

/** The guest on record, where the platform has it. */
export interface MovingGuest {
  readonly id: number;
  readonly hostId: number;
  readonly nodeId: number;
  readonly node: string;
  readonly type: GuestType;
  readonly vmid: number;
  readonly name: string;
  readonly safetyCopy: boolean;
  /** As the inventory stores it; null: its configuration was never read. */
  readonly identity: unknown;
}

export interface MoveRecords {
  /** The job that holds the guest, as `kind` and id; null: none, or the one that asks. */
  readonly busyWith: string | null;
  readonly sourceNodeId: number;
  readonly target: {
    readonly nodeId: number;
    readonly hostname: string;
    readonly port: number;
    readonly isCluster: boolean;
    readonly tlsFingerprint: string | null;
    readonly active: boolean;
    readonly version: string | null;
    readonly natConfigured: boolean;
  };
  readonly sourceStorages: readonly { readonly name: string; readonly type: string }[];
  readonly targetStorages: readonly { readonly name: string; readonly type: string }[];
  readonly targetBridges: readonly string[];
  /** IP zones of the target host. */
  readonly targetZones: readonly { readonly id: number; readonly bridge: string }[];
  /** How many addresses of IP zones the guest has. */
  readonly panelAddresses: number;
  readonly forwards: readonly { readonly id: number; readonly protocol: string; readonly publicPort: number }[];
  readonly takenPorts: readonly { readonly protocol: string; readonly port: number }[];
  /** Seconds of earlier successful moves on the same route. */
  readonly durations: readonly number[];
}

const GUEST = `
  select g.id, g.host_id as "hostId", g.node_id as "nodeId", n.name as node, g.type, g.vmid, g.name,
    g.safety_copy as "safetyCopy", g.identity
  from guest g join node n on n.id = g.node_id where g.id = $1 and g.gone_at is null`;

/** @throws DroverError notFound */
export async function findMovingGuest(pool: Pool, guestId: number): Promise<MovingGuest> {
  const { rows } = await pool.query<MovingGuest>(GUEST, [guestId]);
  const [guest] = rows;
  if (guest === undefined) throw notFound(`Guest ${guestId}`);
  return guest;
}

const RECORDS = `
  select json_build_object(
    'targetHostThere', exists (select 1 from host where id = $4),
    'busyWith', (select j.kind || ' (job ' || j.id || ')' from resource_lock l join job j on j.id = l.job_id
      where l.key = 'guest:' || $2::int || ':' || g.vmid and j.id is distinct from $6),
    'sourceNodeId', sn.id,
    'target', (select json_build_object('nodeId', n.id, 'hostname', h.hostname, 'port', h.port, 'isCluster', h.kind = 'cluster',
        'tlsFingerprint', h.tls_fingerprint, 'active', h.active, 'version', n.version, 'natConfigured', coalesce(a.nat_configured, false))
      from host h join node n on n.host_id = h.id and n.name = $5 left join agent a on a.node_id = n.id where h.id = $4),
    'sourceStorages', (select coalesce(json_agg(json_build_object('name', s.name, 'type', s.type)), '[]')
      from storage s where s.node_id = sn.id),
    'targetStorages', (select coalesce(json_agg(json_build_object('name', s.name, 'type', s.type)), '[]')
      from storage s join node n on n.id = s.node_id where n.host_id = $4 and n.name = $5),
    'targetBridges', array(select w.name from network w join node n on n.id = w.node_id
      where n.host_id = $4 and n.name = $5 and w.active order by w.name),
    'targetZones', (select coalesce(json_agg(json_build_object('id', z.id, 'bridge', z.bridge)), '[]') from ip_zone z where z.host_id = $4),
    'panelAddresses', (select count(*) from ip_address a where a.guest_id = g.id),
    'forwards', (select coalesce(json_agg(json_build_object('id', f.id, 'protocol', f.protocol, 'publicPort', f.public_port) order by f.id), '[]')
      from port_forward f where f.guest_id = g.id),
    'takenPorts', (select coalesce(json_agg(json_build_object('protocol', f.protocol, 'port', f.public_port)), '[]')
      from port_forward f join node n on n.id = f.node_id where n.host_id = $4 and n.name = $5 and f.guest_id <> g.id),
    'durations', (select coalesce(json_agg(extract(epoch from m.finished_at - m.started_at)), '[]') from migration m
      where m.source_host_id = $2 and m.source_node = $3 and m.target_host_id = $4 and m.target_node = $5
        and m.status in ('done', 'done_with_warnings')
        -- The time until somebody started it again is no duration.
        and not exists (select 1 from job j where j.id = m.job_id and j.created_at > m.started_at))
  )::text as json
  from guest g left join node sn on sn.host_id = $2 and sn.name = $3 where g.id = $1`;

interface FoundRecords extends Omit<MoveRecords, "target" | "sourceNodeId"> {
  readonly targetHostThere: boolean;
  readonly sourceNodeId: number | null;
  readonly target: MoveRecords["target"] | null;
}

/**
 * @param node where the guest is now. @param jobId the job that asks, whose own locks do not count.
 * @throws DroverError notFound (target host, or the guest meanwhile), validation (`targetNode`)
 */
export async function loadMoveRecords(
  pool: Pool,
  { guest, node, wish, jobId }: { guest: MovingGuest; node: string; wish: MoveWish; jobId: number | null },
): Promise<MoveRecords> {
  const { targetHostId, targetNode } = wish;
  const values = [guest.id, guest.hostId, node, targetHostId, targetNode, jobId];
  const { rows } = await pool.query<{ json: string }>({ name: "move-records", text: RECORDS, values });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement above builds exactly this shape
  const found = JSON.parse(rows[0]?.json ?? "null") as FoundRecords | null;
  if (found === null) throw notFound(`Guest ${guest.id}`);
  const { target, sourceNodeId, targetHostThere, ...records } = found;
  if (!targetHostThere) throw notFound(`Host ${targetHostId}`);
  if (wish.ipZoneId !== null && !records.targetZones.some(({ id }) => id === wish.ipZoneId)) {
    throw validationError([{ field: "ipZoneId", message: "is no IP zone of the target host" }]);
  }
  if (target === null) throw validationError([{ field: "targetNode", message: "is no node of the target host" }]);
  return { ...records, target, sourceNodeId: sourceNodeId ?? guest.nodeId };
}
