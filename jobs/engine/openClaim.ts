// Opens what a claimed job has stored, in the current shape of its kind; a job that cannot be read is parked, and nothing of it is done.
import type { Pool } from "pg";
import { openStored, versionOf } from "../../src/actions/stored/kinds.js";
import { Unreadable, type StoredJson } from "../../src/actions/stored/shape.js";
import type { Services } from "../../src/context/context.js";
import { HELD, lost } from "./journal.js";
import type { Claim } from "./lease.js";
import type { ClaimedJob } from "./step.js";

/** From now on the row is as this version writes it: an earlier one no longer claims it. */
const FORWARD = `update job set input = $3, facts = $4, version = $5 ${HELD}`;

/** It keeps all that it holds: what it was doing may go on at its hosts, and whoever takes it up again needs it. */
const PARK = `
  update job set status = 'failed', error = $3, parked_at = service_now(), finished_at = service_now(), lease_until = null, worker = null
  ${HELD}`;

/** @returns the job as its steps know it; null: it was parked @throws Fenced */
export async function openClaim({ pool, log }: Pick<Services, "pool" | "log">, job: Claim): Promise<ClaimedJob | null> {
  const stored = read(job);
  if (stored instanceof Unreadable) {
    log.error({ jobId: job.id, kind: job.kind, version: job.version, reason: stored.message }, "a job is parked");
    await write(pool, job, { text: PARK, values: [parkedBecause(stored)] });
    return null;
  }
  const current = versionOf(job.kind);
  if (job.version < current) {
    const values = [JSON.stringify(stored.input), JSON.stringify(stored.facts), current];
    await write(pool, job, { text: FORWARD, values });
  }
  return { ...job, ...stored };
}

function read(job: Claim): StoredJson | Unreadable {
  try {
    return openStored(job);
  } catch (error) {
    if (error instanceof Unreadable) return error;
    throw error;
  }
}

const parkedBecause = ({ message }: Unreadable): string =>
  `this version cannot read what the job has stored (${message}): nothing was done, and all that the job held is kept for it; ` +
  `retry it with a version that reads it, or give it up`;

async function write(pool: Pool, job: Claim, { text, values }: { text: string; values: unknown[] }): Promise<void> {
  const { rowCount } = await pool.query(text, [job.id, job.leaseEpoch, ...values]);
  if (rowCount === 0) throw lost(job);
}
