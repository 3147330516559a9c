// What the engine asks of the database: leases and journals of jobs. A test can give it a store in memory.
import * as journal from "./journal.js";
import * as lease from "./lease.js";
import * as parked from "./parked.js";
import type { Lease } from "./job.js";
import type { Connection } from "../tables.js";

/** Each write under a lease returns whether the lease is held: otherwise it has written nothing. */
export type JobStore = ReturnType<typeof jobStore>;

export const jobStore = (on: Connection) =>
  ({
    claim: (claimant: lease.Claimant, id: number) => lease.claimJob(on, claimant, id),
    claimDue: (claimant: lease.Claimant, wanted: lease.Wanted) => lease.claimDueJobs(on, claimant, wanted),
    renew: (held: Lease, leaseSeconds: number) => lease.renewLease(on, held, leaseSeconds),
    release: (held: Lease) => lease.releaseLease(on, held),
    requeue: (held: Lease) => lease.requeueJob(on, held),
    bringForward: (held: Lease, content: parked.StoredContent) => parked.bringForward(on, held, content),
    park: (held: Lease, error: string) => parked.parkJob(on, held, error),
    write: (held: Lease, entry: journal.JournalEntry & journal.AtStep) => journal.writeEntry(on, held, entry),
    writeTask: (held: Lease, effect: string, upid: string) => journal.writeTask(on, held, effect, upid),
    writeWaiting: (held: Lease, waiting: journal.Waiting | null) => journal.writeWaiting(on, held, waiting),
    end: (held: Lease, entry: journal.JournalEntry & journal.Outcome) => journal.endJob(on, held, entry),
  }) as const;
