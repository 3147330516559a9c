// Releases, once a minute, whatever is still held for jobs that ended or vanished: normally nothing, but otherwise it would stay held for ever.
import { sweepTokens } from "../../src/actions/migration/removeTokens.js";
import { repeatFailedForwards } from "../../src/actions/host/applyPortForwards.js";
import { withdrawForwards } from "../../src/actions/host/withdrawForwards.js";
import type { Services } from "../../src/context/context.js";
import { inTransaction } from "../../src/db/transaction.js";
import { pause } from "../../src/concurrency/pause.js";

const INTERVAL_MS = 60_000;

const ENDED = "j.finished_at is not null and j.parked_at is null";

/** What an end of a job frees, in case it did not, and what a request held whose process died. A parked job keeps what it holds. An ended job holds nothing but room that no sync has seen in use yet. */
const SWEEP = `
  with unlocked as (
    delete from resource_lock l using job j where j.id = l.job_id and ${ENDED} returning 1),
  let_go as (delete from resource_lock where until < now()),
  freed as (delete from vmid_reservation r using job j where j.id = r.job_id and ${ENDED} returning 1),
  -- That the address has a job is said too: PostgreSQL else takes all addresses for such, and reads all jobs that there were.
  kept as (
    update ip_address a set job_id = null from job j
    where a.job_id is not null and j.id = a.job_id and ${ENDED} and a.guest_id is not null),
  returned as (
    delete from ip_address a where a.guest_id is null
      and not exists (select 1 from job j where j.id = a.job_id and not (${ENDED})) returning 1),
  room as (
    delete from capacity_reservation r using job j, node n, host h
    where j.id = r.job_id and n.id = r.node_id and h.id = n.host_id and ${ENDED} and j.finished_at <= h.last_sync_at returning 1)
  select (select count(*) from unlocked)::int as locks, (select count(*) from freed)::int as vmids,
    (select count(*) from returned)::int as addresses, (select count(*) from room)::int as "roomSeen"`;

/** Such a guest may come back for some minutes, as its addresses and its owner do. */
const FORWARDED_GONE = `
  select distinct f.guest_id as id from port_forward f join guest g on g.id = f.guest_id
  where g.gone_at < $1::timestamptz - interval '5 minutes'`;

/** How many of each were given back. */
interface Swept {
  readonly locks: number;
  readonly vmids: number;
  readonly addresses: number;
  /** Guests deleted behind the service's back whose public ports were closed: no fault of a job either. */
  readonly closedGuests: number;
  /** Nodes whose agents could not apply their port forwards, and are told them again. */
  readonly toldAgain: number;
  /** Promises of room that the inventory has seen in use since: their end is no fault. */
  readonly roomSeen: number;
}

/** Sweeps until `stopping`; any number of processes may. */
export async function sweepUntil(stopping: AbortSignal, services: Services): Promise<void> {
  while (!stopping.aborted) {
    await sweepAndTell(services).catch((error: unknown) => services.log.warn({ err: error }, "a sweep failed"));
    await sweepTokens(services).catch((error: unknown) => services.log.warn({ err: error }, "a sweep failed"));
    await pause(INTERVAL_MS, stopping);
  }
}

async function sweepAndTell(services: Services): Promise<void> {
  const swept = await sweep(services);
  if (swept.locks + swept.vmids + swept.addresses > 0) {
    services.log.warn(swept, "things were still held for jobs that have ended");
  }
}

/** Sweeps once. */
export async function sweep({ pool, clock }: Pick<Services, "pool" | "clock">): Promise<Swept> {
  const { rows } = await pool.query<Omit<Swept, "closedGuests" | "toldAgain">>(SWEEP);
  const [swept] = rows;
  if (swept === undefined) throw new Error("a sweep gave no row");
  const now = clock.now();
  return { ...swept, closedGuests: await closePorts(pool, now), toldAgain: await repeatFailedForwards(pool) };
}

async function closePorts(pool: Services["pool"], now: Date): Promise<number> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ id: number }>(FORWARDED_GONE, [now]);
    if (rows.length > 0)
      await withdrawForwards(
        client,
        rows.map(({ id }) => id),
      );
    return rows.length;
  });
}
