// Updates what depends on nodes and guests once they are written: averages, addresses, templates, reserved room, the host's record.
import type { PoolClient } from "pg";
import type { Observation } from "./observe.js";

// An address that a guest was given by hand belongs to the zone it lies in, so that nobody else gets it.
const ADOPT = `
  insert into ip_address (zone_id, address, guest_id)
  select distinct on (z.id, a.address) z.id, a.address::inet, g.id
  from ip_zone z join guest g on g.host_id = z.host_id cross join unnest(g.ip_addresses) as a (address)
  where z.host_id = $1 and g.gone_at is null and not g.safety_copy and g.vmid <> all($7)
    and a.address::inet between z.range_start and z.range_end
    and not exists (select from ip_address taken where taken.zone_id = z.id and taken.address = a.address::inet)
  order by z.id, a.address, g.id
  on conflict (zone_id, address) do nothing`;

// Addresses of guests that were deleted behind the service's back rest for some minutes: such a guest may come back.
const RELEASE = `
  delete from ip_address a using guest g
  where a.guest_id = g.id and a.job_id is null and g.host_id = $1 and g.gone_at < $2::timestamptz - interval '5 minutes'`;

// Registered templates follow their guest: its node, its size, and whether it is still there and still a template.
const FOLLOW_TEMPLATES = `
  update os_template t set active = g.id is not null, node_id = coalesce(g.node_id, t.node_id),
    min_disk_bytes = coalesce(g.disk_bytes, t.min_disk_bytes)
  from os_template o left join guest g on g.host_id = o.host_id and g.vmid = o.vmid and g.gone_at is null and g.template
  where t.id = o.id and t.host_id = $1
    and (t.active, t.node_id, t.min_disk_bytes)
      is distinct from (g.id is not null, coalesce(g.node_id, t.node_id), coalesce(g.disk_bytes, t.min_disk_bytes))`;

// Room stays promised after the end of its job until the guest itself is counted: that is now, for what had ended before. A move
// is the source's job, with room on the target.
const RELEASE_COUNTED_ROOM = `
  delete from capacity_reservation r using job j, node n
  where j.id = r.job_id and n.id = r.node_id and n.host_id = $1 and j.finished_at < $3`;

const AVERAGES = `
  update node n set sampled_at = a.newest, cpu_average_30m = a.cpu
  from (select s.node_id, max(s.at) as newest, avg(s.cpu_usage) as cpu from node_sample s join node m on m.id = s.node_id
    where m.host_id = $1 and s.at > $2::timestamptz - interval '30 minutes' and s.at <= $2 group by s.node_id) a
  where n.id = a.node_id`;

const SETTLE = `
  with adopted as (${ADOPT}), averaged as (${AVERAGES}), released as (${RELEASE}), followed as (${FOLLOW_TEMPLATES}),
    counted as (${RELEASE_COUNTED_ROOM})
  update host set last_sync_at = $2, last_sync_error = null, version = coalesce($4, version), kind = $5, cluster_name = $6, quorate = $8
  where id = $1`;

interface Settlement {
  readonly hostId: number;
  readonly now: Date;
  /** When the host's promises were read, as the ends of jobs are told. */
  readonly readAt: string;
  /** VMIDs that jobs write themselves. */
  readonly held: ReadonlySet<number>;
  readonly observation: Pick<Observation, "version" | "cluster">;
}

export async function settle(client: PoolClient, settlement: Settlement): Promise<void> {
  const { hostId, now, readAt, held, observation } = settlement;
  const { version, cluster } = observation;
  const { kind, name, quorate } = cluster;
  const values = [hostId, now, readAt, version?.version ?? null, kind, name, [...held], quorate];
  await client.query({ name: "inventory-settle", text: SETTLE, values });
}
