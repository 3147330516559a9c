// Claims jobs for a worker, and keeps the lease of a claimed job while it is worked on.
import { READABLE_VERSIONS } from "../../src/job/kinds.js";
import { pauseBy } from "../../src/concurrency/pause.js";
import type { Stopwatch } from "../../src/concurrency/stopwatch.js";
import type { Services } from "../../src/context/context.js";
import type { Lease } from "../../src/store/job/lease.js";
import type { Claim, Claimant, ClaimScope } from "../../src/store/job/claim.js";
import type { JobStore } from "../../src/store/jobStore.js";

/** Renewals within the term of a lease: a worker can miss all of them but one. */
const RENEWALS_PER_LEASE = 3;

/** What leasing needs of a worker. */
export interface Leasing {
  readonly services: Pick<Services, "config" | "log">;
  readonly store: JobStore;
  /** What the time between two renewals is measured by. */
  readonly stopwatch: Stopwatch;
  /** Its name in the database, unique among processes. */
  readonly worker: string;
}

const claimantOf = ({ services, worker }: Omit<Leasing, "stopwatch">): Claimant => ({
  worker,
  leaseSeconds: services.config.leaseSeconds,
  readable: READABLE_VERSIONS,
});

/** Claims the job if it is queued, or running with an expired lease; null when another worker has it or it has ended. */
export const claim = (leasing: Leasing, jobId: number): Promise<Claim | null> =>
  leasing.store.claim(claimantOf(leasing), jobId);

/** Claims jobs that are queued, or running with an expired lease, the oldest first. */
export const claimDue = (leasing: Leasing, wanted: ClaimScope): Promise<Claim[]> =>
  leasing.store.claimDue(claimantOf(leasing), wanted);

interface Holding {
  /** Ends with the work on the job. */
  readonly held: AbortSignal;
  /** Called once when another worker has the lease. */
  readonly lost: () => void;
}

/** Renews the lease while it is held. While the database is away it goes on trying: no other worker can claim the job either. */
export async function keepLease(
  { services, store, stopwatch }: Leasing,
  lease: Lease,
  { held, lost }: Holding,
): Promise<void> {
  const { leaseSeconds } = services.config;
  const pauseMs = (leaseSeconds * 1000) / RENEWALS_PER_LEASE;
  while (!held.aborted) {
    await pauseBy({ stopwatch, signal: held }, pauseMs);
    if (held.aborted) return;
    try {
      if (await store.renew(lease, leaseSeconds)) continue;
      lost();
      return;
    } catch (error) {
      services.log.warn({ err: error, jobId: lease.id }, "lease renewal failed");
    }
  }
}
