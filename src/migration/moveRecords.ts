// Looks up, in one statement, all that the database knows for the moves of guests, however many.
import type { Reads } from "../context/context.js";
import { guestLockSql } from "../core/guest/lock.js";
import type { NodeVersions } from "../core/inventory/tunnel.js";
import type { RouteHistory } from "../core/migration/estimate.js";
import type { TokenRefusal } from "../core/migration/moveFacts.js";
import { notFound, validationError } from "../errors/errors.js";
import * as placedGuests from "../store/guest/placed.js";
import { historiesIn, HISTORIES, ROUTES, type FoundHistories } from "./routeHistory.js";
import type { MoveRequest } from "./moveRequest.js";

/** The guest on record, where the platform has it. */
export type MovingGuest = placedGuests.Moving;

interface KnownStorage {
  readonly name: string;
  readonly type: string;
}

interface PublicPort {
  readonly protocol: string;
  readonly port: number;
}

/** What a node runs, as it was read last; null: not known. */
export interface KnownSoftware extends NodeVersions {
  readonly architecture: string | null;
}

/** A node of a target host, with its host. */
interface KnownTarget extends KnownSoftware {
  readonly nodeId: number;
  /** Display name of the host. */
  readonly hostName: string;
  /** Whether it is connected by an API token, and not by its user's password. */
  readonly byToken: boolean;
  readonly allowUnrestrictedMoveToken: boolean;
  /** Of whatever age; null: its last answer was none. */
  readonly tokenRefusal: TokenRefusal | null;
  readonly hostname: string;
  readonly port: number;
  readonly isCluster: boolean;
  readonly tlsFingerprint: string | null;
  readonly active: boolean;
  readonly natConfigured: boolean;
}

/** What is known of a guest itself. */
interface GuestRecords {
  /** The job that holds the guest, as `kind` and id; null: none, or the one that asks. */
  readonly busyWith: string | null;
  /** How many addresses of IP zones the guest has. */
  readonly panelAddresses: number;
  readonly forwards: readonly { readonly id: number; readonly protocol: string; readonly publicPort: number }[];
}

export interface MoveRecords extends GuestRecords {
  readonly sourceNodeId: number;
  /** Null: the node is not on record yet. */
  readonly sourceSoftware: KnownSoftware | null;
  readonly target: KnownTarget;
  readonly sourceStorages: readonly KnownStorage[];
  readonly targetStorages: readonly KnownStorage[];
  readonly targetBridges: readonly string[];
  /** IP zones of the target host. */
  readonly targetZones: readonly KnownZone[];
  readonly takenPorts: readonly PublicPort[];
  /** What earlier moves on the same route have shown. */
  readonly route: RouteHistory;
  /** Limit of the move, MiB/s: its own, or the setting's; null: none. */
  readonly bandwidthMib: number | null;
}

interface KnownZone {
  readonly id: number;
  readonly bridge: string;
}

/** @throws DroverError notFound */
export async function findMovingGuest(reads: Reads, guestId: number): Promise<MovingGuest> {
  const [guest] = await placedGuests.moving(reads, [guestId]);
  if (guest === undefined) throw notFound(`Guest ${guestId}`);
  return guest;
}

/** A move that is asked about. */
export interface MoveQuestion {
  readonly guest: Pick<MovingGuest, "id" | "hostId" | "nodeId">;
  /** Where the guest is now. */
  readonly node: string;
  readonly request: Pick<MoveRequest, "targetHostId" | "targetNode" | "ipZoneId" | "bandwidthMib">;
}

const STORAGES_OF_N = `(select coalesce(json_agg(json_build_object('name', s.name, 'type', s.type)), '[]') from storage s where s.node_id = n.id)`;

const SOFTWARE_OF_N = `'version', n.version, 'qemuServer', n.qemu_server, 'pveContainer', n.pve_container, 'architecture', n.architecture`;

/** $1 to $6: guests, where they are (host, node), where they are to go, and the limits of their moves; $7 the job that asks. */
const RECORDS = `
  with asked as (
    select * from unnest($1::int[], $2::int[], $3::text[], $4::int[], $5::text[], $6::int[])
      q (guest_id, host_id, node, to_host_id, to_node, bandwidth_mib)
  ), ${ROUTES}
  select json_build_object(
    'guests', (select coalesce(json_agg(json_build_object('id', g.id,
        'busyWith', (select j.kind || ' (job ' || j.id || ')' from resource_lock l join job j on j.id = l.job_id
          where l.key = ${guestLockSql("g")} and j.id is distinct from $7),
        'panelAddresses', (select count(*) from ip_address a where a.guest_id = g.id),
        'forwards', (select coalesce(json_agg(json_build_object('id', f.id, 'protocol', f.protocol, 'publicPort', f.public_port) order by f.id), '[]')
          from port_forward f where f.guest_id = g.id))), '[]')
      from guest g where g.id = any($1)),
    'sources', (select coalesce(json_agg(json_build_object('hostId', n.host_id, 'node', n.name, 'nodeId', n.id,
        'software', json_build_object(${SOFTWARE_OF_N}), 'storages', ${STORAGES_OF_N})), '[]')
      from node n where (n.host_id, n.name) in (select host_id, node from asked)),
    'targetHosts', (select coalesce(json_agg(json_build_object('id', h.id, 'zones',
        (select coalesce(json_agg(json_build_object('id', z.id, 'bridge', z.bridge)), '[]') from ip_zone z where z.host_id = h.id))), '[]')
      from host h where h.id = any($4)),
    'targets', (select coalesce(json_agg(json_build_object('hostId', h.id, 'node', n.name,
        'target', json_build_object('nodeId', n.id, 'hostName', h.name, 'byToken', h.token_id is not null,
          'allowUnrestrictedMoveToken', h.allow_unrestricted_move_token, 'tokenRefusal', (select json_build_object('words', r.words,
            'at', floor(extract(epoch from r.refused_at) * 1000)) from token_refusal r where r.host_id = h.id and r.words is not null),
          'hostname', h.hostname, 'port', h.port, 'isCluster', h.kind = 'cluster',
          'tlsFingerprint', h.tls_fingerprint, 'active', h.active, ${SOFTWARE_OF_N}, 'natConfigured', coalesce(a.nat_configured, false)),
        'storages', ${STORAGES_OF_N},
        'bridges', array(select w.name from network w where w.node_id = n.id and w.active order by w.name),
        'ports', (select coalesce(json_agg(json_build_object('guestId', f.guest_id, 'protocol', f.protocol, 'port', f.public_port)), '[]')
          from port_forward f where f.node_id = n.id))), '[]')
      from node n join host h on h.id = n.host_id left join agent a on a.node_id = n.id
      where (n.host_id, n.name) in (select to_host_id, to_node from asked)),
    'bandwidthMib', (select migration_bandwidth_mib from setting),
    ${HISTORIES}
  )::text as json`;

interface FoundRecords extends FoundHistories {
  readonly guests: readonly (GuestRecords & { readonly id: number })[];
  readonly sources: readonly {
    readonly hostId: number;
    readonly node: string;
    readonly nodeId: number;
    readonly software: KnownSoftware;
    readonly storages: readonly KnownStorage[];
  }[];
  readonly targetHosts: readonly { readonly id: number; readonly zones: readonly KnownZone[] }[];
  readonly targets: readonly {
    readonly hostId: number;
    readonly node: string;
    readonly target: KnownTarget;
    readonly storages: readonly KnownStorage[];
    readonly bridges: readonly string[];
    readonly ports: readonly (PublicPort & { readonly guestId: number })[];
  }[];
  /** The setting. */
  readonly bandwidthMib: number | null;
}

/** Tells the records of a move that was among those asked about. @throws DroverError as `loadMoveRecords` */
type RecordsOf = (question: MoveQuestion) => MoveRecords;

/**
 * @param jobId the job that asks, whose own locks do not count.
 * @returns what tells the records of each; it throws DroverError notFound (target host, or the guest meanwhile), validation
 *   (`ipZoneId`, `targetNode`)
 */
export async function loadMoveRecords(
  reads: Reads,
  questions: readonly MoveQuestion[],
  jobId: number | null,
): Promise<RecordsOf> {
  const values = [
    questions.map(({ guest }) => guest.id),
    questions.map(({ guest }) => guest.hostId),
    questions.map(({ node }) => node),
    questions.map(({ request }) => request.targetHostId),
    questions.map(({ request }) => request.targetNode),
    questions.map(({ request }) => request.bandwidthMib),
    jobId,
  ];
  const { rows } = await reads.query<{ json: string }>({ name: "move-records", text: RECORDS, values });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement above builds exactly this shape
  return recordsIn(JSON.parse(rows[0]?.json ?? "null") as FoundRecords);
}

const nodeKey = (hostId: number, node: string): string => `${hostId}/${node}`;

function recordsIn(found: FoundRecords): RecordsOf {
  const guests = new Map(found.guests.map(({ id, ...records }) => [id, records]));
  const sources = new Map(found.sources.map((source) => [nodeKey(source.hostId, source.node), source]));
  const targetHosts = new Map(found.targetHosts.map(({ id, zones }) => [id, zones]));
  const targets = new Map(found.targets.map((target) => [nodeKey(target.hostId, target.node), target]));
  const historyOf = historiesIn(found);
  return ({ guest, node, request }) => {
    const { targetHostId, targetNode, ipZoneId } = request;
    const own = guests.get(guest.id);
    if (own === undefined) throw notFound(`Guest ${guest.id}`);
    const zones = targetHosts.get(targetHostId);
    if (zones === undefined) throw notFound(`Host ${targetHostId}`);
    if (ipZoneId !== null && !zones.some(({ id }) => id === ipZoneId)) {
      throw validationError([{ field: "ipZoneId", message: "is no IP zone of the target host" }]);
    }
    const to = targets.get(nodeKey(targetHostId, targetNode));
    if (to === undefined) throw validationError([{ field: "targetNode", message: "is no node of the target host" }]);
    const source = sources.get(nodeKey(guest.hostId, node));
    const bandwidthMib = request.bandwidthMib ?? found.bandwidthMib;
    return {
      ...own,
      sourceNodeId: source?.nodeId ?? guest.nodeId,
      sourceSoftware: source?.software ?? null,
      sourceStorages: source?.storages ?? [],
      target: to.target,
      targetStorages: to.storages,
      targetBridges: to.bridges,
      targetZones: zones,
      takenPorts: to.ports.filter(({ guestId }) => guestId !== guest.id),
      route: historyOf({ hostId: guest.hostId, node, toHostId: targetHostId, toNode: targetNode, bandwidthMib }),
      bandwidthMib,
    };
  };
}
