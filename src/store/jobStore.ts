// What the engine asks of the database: leases and journals of jobs. A test can give it a store in memory.
import { endJob } from "./held/end.js";
import * as claims from "./job/claim.js";
import * as journal from "./job/journal.js";
import * as leases from "./job/lease.js";
import type { Lease } from "./job/lease.js";
import * as parked from "./job/parked.js";
import * as undo from "./job/undo.js";
import type { Connection } from "./tables.js";

/** Each write under a lease returns whether the lease is held: otherwise it has written nothing. */
export type JobStore = ReturnType<typeof jobStore>;

export const jobStore = (on: Connection) =>
  ({
    claim: (claimant: claims.Claimant, id: number) => claims.claimJob(on, claimant, id),
    claimDue: (claimant: claims.Claimant, wanted: claims.ClaimScope) => claims.claimDueJobs(on, claimant, wanted),
    renew: (held: Lease, leaseSeconds: number) => leases.renewLease(on, held, leaseSeconds),
    release: (held: Lease) => leases.releaseLease(on, held),
    requeue: (held: Lease) => leases.requeueJob(on, held),
    bringForward: (held: Lease, content: parked.StoredContent) => parked.bringForward(on, held, content),
    park: (held: Lease, error: string) => parked.parkJob(on, held, error),
    write: (held: Lease, entry: journal.JournalEntry & journal.AtStep) => journal.writeEntry(on, held, entry),
    writeUndo: (held: Lease, note: undo.UndoNote) => undo.writeUndo(on, held, note),
    writeTask: (held: Lease, effect: string, upid: string) => journal.writeTask(on, held, effect, upid),
    writeWaiting: (held: Lease, waiting: journal.Waiting | null) => journal.writeWaiting(on, held, waiting),
    end: (held: Lease, entry: journal.JournalEntry & journal.JobOutcome) => endJob(on, held, entry),
  }) as const;
