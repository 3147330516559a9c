// The statement of `GET /hosts/{id}/guests` as somebody would write it by hand, and the rows that it is tried on.
import type { Pool } from "pg";
import { storeToken } from "../seed/token.js";

/** Clients that ask at the same time, and hosts that they ask for. */
export const CLIENTS = 16;
/** Of the pages of a host. */
export const ASKED = { page: 1, perPage: 50 };
const GUESTS_A_HOST = 1_000;

/** The page of guests of each host. */
export const PAGE_PATHS = Array.from(
  { length: CLIENTS },
  (_, index) => `/api/v1/hosts/${index + 1}/guests?page=${ASKED.page}&perPage=${ASKED.perPage}`,
);

/** Hosts with two nodes each and their guests, half of them with an address of a zone. @returns a token for every host */
export async function fillGuests(pool: Pool): Promise<string> {
  await pool.query(`
    insert into host (name, hostname, user_name, secret_encrypted, last_sync_at)
      select 'alpha' || h, 'alpha' || h, 'root@pam', 's', now() from generate_series(1, ${CLIENTS}) h;
    insert into node (host_id, name, status)
      select h, 'pve' || n, 'online' from generate_series(1, ${CLIENTS}) h, generate_series(1, 2) n order by 1, 2;
    insert into guest (host_id, node_id, type, vmid, name, status, tags, cores, memory_mb, disk_bytes, cpu_usage, memory_used_mb, started_at)
      select h, 2 * h - n % 2, case when n % 3 = 0 then 'lxc' else 'qemu' end, 99 + n, 'guest-' || n, 'running', '{web,prod}',
        2, 4096, 34359738368, 0.25, 1024, now() - interval '5 days'
      from generate_series(1, ${CLIENTS}) h, generate_series(1, ${GUESTS_A_HOST}) n order by h, n;
    insert into ip_zone (host_id, name, cidr, range_start, range_end, bridge, total, next_candidate)
      select h, 'z', '10.0.0.0/16', '10.0.0.2', '10.0.255.254', 'vmbr0', 65533, '10.0.0.2' from generate_series(1, ${CLIENTS}) h;
    insert into ip_address (zone_id, address, guest_id)
      select host_id, '10.0.0.1'::inet + (vmid - 99), id from guest where vmid % 2 = 0;
    analyze`);
  return storeToken(pool);
}

const MOMENT = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;

const MATCHING = `from guest g where g.host_id = $1 and g.gone_at is null`;

/** The v1 record, field by field. */
const RECORD = `g.type, g.vmid, n.name as node, g.name, g.host_id, g.status, g.template, g.lock, g.tags, g.cores, g.memory_mb,
  round(g.disk_bytes / 1073741824.0, 2)::float8 as disk_gb, g.cpu_usage, g.memory_used_mb,
  extract(epoch from h.last_sync_at - g.started_at)::bigint as uptime_seconds, g.owner_id, g.plan_id,
  array(select host(a.address) from ip_address a where a.guest_id = g.id order by 1) || g.ip_addresses as ip_addresses,
  g.safety_copy, to_char(g.safety_copy_delete_at at time zone 'UTC', ${MOMENT}) as safety_copy_delete_at,
  to_char(coalesce(g.unseen_since, h.last_sync_at) at time zone 'UTC', ${MOMENT}) as last_seen_at`;

const JOINED = "join node n on n.id = g.node_id join host h on h.id = g.host_id";
const PAGE = "order by g.vmid limit $2 offset $3";

/** As it is written first. */
const PLAIN = `select ${RECORD} from guest g ${JOINED} where g.host_id = $1 and g.gone_at is null ${PAGE}`;

/** The page is found before anything dear is computed for it, as the service's own statement does. */
const TUNED = `select ${RECORD} from (select * ${MATCHING} ${PAGE}) g ${JOINED} order by g.vmid`;

/** Rows for the driver to parse, and the number of all in a column of each. */
const asRows = (rows: string): string => `select item.*, (select count(*) ${MATCHING}) as total from (${rows}) item`;

export const PLAIN_ROWS = asRows(PLAIN);
export const TUNED_ROWS = asRows(TUNED);

/** The whole answer as one text. */
export const TUNED_JSON = `
  select json_build_object('success', true,
    'data', (select coalesce(json_agg(item), '[]') from (${TUNED}) item),
    'error', null,
    'meta', json_build_object('page', $4::int, 'perPage', $2::int, 'total', (select count(*) ${MATCHING})))::text as json`;
