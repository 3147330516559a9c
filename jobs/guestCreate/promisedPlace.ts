// Checks whether creations still fit the nodes that were reserved for them; jobs of one host that ask together are answered together.
import type { Pool } from "pg";
import type { Clock } from "../../src/concurrency/clock.js";
import { loadSnapshot } from "../../src/actions/placement/placementSnapshot.js";
import type { GuestCreateInput } from "../../src/actions/guest/guestCreateInput.js";
import { CAN_CLONE } from "../../src/actions/catalogue/templateNodes.js";
import { UserRole } from "../../src/core/enums.js";
import { EVERY_NODE } from "../../src/core/placement/context.js";
import { placeBest, type RankedNode } from "../../src/core/placement/place.js";
import { promisePlace } from "../../src/core/placement/promise.js";
import type { PlacementRequest, Snapshot } from "../../src/core/placement/snapshot.js";
import { GIB } from "../../src/core/units.js";
import { HostBatches } from "../../src/concurrency/hostBatches.js";

/** A job that asks whether its guest still fits. */
interface Asking {
  readonly jobId: number;
  readonly node: string;
  readonly request: PlacementRequest;
  readonly image: GuestCreateInput["image"];
  readonly clock: Clock;
}

/** What a job was promised, and whether it may still be used. */
interface Promised {
  readonly jobId: number;
  readonly node: string;
  readonly storage: string;
  readonly memoryMb: number;
  readonly diskBytes: number;
  /** Whether whoever asked for the guest may create on the node, and the node has what the guest is made from. */
  readonly usable: boolean;
}

const PROMISED = `
  select r.job_id as "jobId", n.name as node, r.storage, r.memory_mb as "memoryMb", r.disk_bytes as "diskBytes",
    (u.id is null or exists (select 1 from reseller_node a where a.user_id = u.id and a.node_id = n.id))
    and (
      exists (select 1 from node_file f
        where f.node_id = n.id and f.volid = asked.volid and f.content = 'vztmpl')
      or exists (select 1 from os_template t where t.id = asked.template_id
        and t.active and t.host_id = n.host_id and ${CAN_CLONE})) as usable
  from unnest($1::int[], $3::text[], $4::int[]) as asked (job_id, volid, template_id)
    join capacity_reservation r on r.job_id = asked.job_id join job j on j.id = r.job_id join node n on n.id = r.node_id
    left join user_account u on u.id = j.created_by_user and u.role = '${UserRole.RESELLER}'
  where n.host_id = $2`;

const batches = new HostBatches(lookTogether, { atOnce: 1, largest: 64, mostWaiting: 10_000 });

/**
 * The place that the job was promised, if the same rules as at the start, with live reservations, choose it again: then nothing
 * changes hands, and nobody has to wait. Null: it has to be looked for anew.
 */
export const promisedPlace = (pool: Pool, hostId: number, asking: Asking): Promise<RankedNode | null> =>
  batches.add(pool, hostId, asking);

async function lookTogether(
  pool: Pool,
  hostId: number,
  asking: readonly Asking[],
): Promise<(job: Asking) => RankedNode | null> {
  const [first, ...others] = asking;
  if (first === undefined) return () => null;
  const node = others.every((other) => other.node === first.node) ? first.node : null;
  const { snapshot, settings } = await loadSnapshot(pool, first.clock, { scope: [hostId], node });
  const images = asking.map(({ image }) => image);
  const volids = images.map((image) => (image.kind === "file" ? image.volid : null));
  const templates = images.map((image) => (image.kind === "template" ? image.templateId : null));
  const values = [asking.map(({ jobId }) => jobId), hostId, volids, templates];
  const statement = { name: "promised-places", text: PROMISED, values };
  const { rows } = await pool.query<Promised>(statement);
  const promises = new Map(rows.map((row) => [row.jobId, row]));
  return (job) => {
    const promised = promises.get(job.jobId);
    if (promised?.usable !== true || promised.node !== job.node) return null;
    const asked = { ...EVERY_NODE, settings, scope: [hostId], node: job.node };
    const best = placeBest(without(snapshot, hostId, promised), job.request, asked);
    return best?.storage === promised.storage ? best : null;
  };
}

/** As if the job had been promised nothing. */
const without = (snapshot: Snapshot, hostId: number, { node, storage, memoryMb, diskBytes }: Promised): Snapshot =>
  promisePlace(snapshot, { hostId, node, storage }, { memoryMb: -memoryMb, diskGb: -diskBytes / GIB });
