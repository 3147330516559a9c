// Claims jobs for a worker: those that are queued, and those whose lease has expired.
import { sql, type RawBuilder } from "kysely";
import { JobStatus, type JobKind, type UndoStatus } from "../../core/enums.js";
import {
  prepared,
  rowOf,
  rowsOf,
  tables,
  type Connection,
  type Given,
  type PreparedStatement,
  type Row,
} from "../tables.js";
import type { Lease } from "./lease.js";

type JobRow = Row<"job">;

/** A step as the journal has it. */
export interface RecordedStep {
  readonly name: string;
  readonly status: Row<"job_step">["status"];
  /** Null: no rollback has come to it. */
  readonly undo: UndoStatus | null;
  /** What the undo left behind; null unless it failed. */
  readonly left: string | null;
}

/** A claimed job as its row has it; the JSON is as it was stored. */
export interface Claim extends Lease {
  readonly kind: JobRow["kind"];
  readonly hostId: JobRow["host_id"];
  /** Null: the job is about no host, or the host is no longer connected. */
  readonly hostName: string | null;
  readonly node: JobRow["node"];
  readonly vmid: JobRow["vmid"];
  readonly guestId: JobRow["guest_id"];
  /** Of the shape that `input` and `facts` have. */
  readonly version: JobRow["version"];
  readonly input: unknown;
  readonly facts: unknown;
  readonly secretsEncrypted: JobRow["secrets_encrypted"];
  readonly attempts: JobRow["attempts"];
  /** The steps that are on record. */
  readonly steps: readonly RecordedStep[];
  /** How long it had waited when it was first started, seconds. */
  readonly waitedSeconds: number;
  /** The setting of this name, as it was when the job was claimed. */
  readonly lockWaitSeconds: number;
}

/** Who claims, and on which terms. */
export interface Claimant {
  /** The worker's name, unique among processes. */
  readonly worker: string;
  readonly leaseSeconds: number;
  /** The newest version of what jobs store, by kind, that the worker reads. */
  readonly readable: ReadonlyMap<JobKind, number>;
}

/** Which due jobs a worker takes. */
export interface ClaimScope {
  readonly kinds: readonly JobKind[];
  /** At most so many. */
  readonly most: number;
  /** Jobs that it leaves alone. */
  readonly except?: readonly number[];
}

/** The values of a claim's terms; `readable` is JSON. */
interface Terms {
  readonly worker: string;
  readonly leaseSeconds: number;
  readonly readable: string;
}

const termsOf = ({ worker, leaseSeconds, readable }: Claimant): Terms => ({
  worker,
  leaseSeconds,
  readable: JSON.stringify(Object.fromEntries(readable)),
});

/** The newest version that a worker reads of the row's kind. */
const newestReadable = (readable: RawBuilder<string>) => sql<number>`(${readable}::jsonb ->> kind)::smallint`;

/** While work is drained, nothing is begun but the move that a run is at: then the run can stop between two guests. */
const MAY_BEGIN = sql<boolean>`(not exists (select from drain)
  or exists (select from run_item i join migration m on m.id = i.migration_id where m.job_id = job.id and i.status = 'running'))`;

/** Condition on a row of `job`. What a later version has stored is left to its processes. */
const isDue = (readable: RawBuilder<string>) =>
  sql<boolean>`((status = 'queued' and ${MAY_BEGIN}) or (status = 'running' and lease_until < now()))
    and version <= ${newestReadable(readable)}`;

/** Part of a statement: jobs are claimed for a worker. The condition on them is to follow. @returns them */
const claim = ({ worker, leaseSeconds, readable }: Given<Terms>) =>
  tables
    .updateTable("job")
    .set({
      status: sql.lit(JobStatus.RUNNING),
      lease_epoch: sql<number>`lease_epoch + 1`,
      lease_until: sql<Date>`now() + ${leaseSeconds} * interval '1 second'`,
      worker,
      attempts: sql<number>`attempts + 1`,
      started_at: sql<Date>`coalesce(started_at, service_now())`,
      reads: newestReadable(readable),
    })
    .returning((row) => [
      "id",
      "kind",
      "host_id as hostId",
      row.selectFrom("host").select("name").whereRef("host.id", "=", "job.host_id").as("hostName"),
      "node",
      "vmid",
      "guest_id as guestId",
      "version",
      "input",
      "facts",
      "secrets_encrypted as secretsEncrypted",
      "lease_epoch as leaseEpoch",
      "attempts",
      sql<RecordedStep[]>`coalesce((select json_agg(json_build_object(
        'name', name, 'status', status, 'undo', undo_status, 'left', undo_error)) from job_step where job_id = job.id), '[]')`.as(
        "steps",
      ),
      sql<number>`extract(epoch from started_at - created_at)::float8`.as("waitedSeconds"),
      sql<number>`(select lock_wait_seconds from setting)`.as("lockWaitSeconds"),
    ]);

const CLAIM_ONE = prepared<Terms & Pick<Lease, "id">, Claim>("job-claim", (given) =>
  claim(given).where("id", "=", given.id).where(isDue(given.readable)),
);

/** Claims the job if it is queued, or running with an expired lease. @returns null when another worker has it or it has ended */
export const claimJob = (connection: Connection, claimant: Claimant, id: number): Promise<Claim | null> =>
  rowOf(connection, CLAIM_ONE({ ...termsOf(claimant), id }));

/** The values of a claim of due jobs. */
interface DueTerms extends Terms, Required<Pick<ClaimScope, "most" | "except">> {}

/** The statements that claim due jobs, by kinds: each queue has its own. */
const claimsDue = new Map<string, (values: DueTerms) => PreparedStatement<Claim>>();

/** The kinds of a queue stand in the text, as in the queue's index: with a parameter PostgreSQL does not use the index. */
function claimDue(kinds: readonly JobKind[]): (values: DueTerms) => PreparedStatement<Claim> {
  const known = claimsDue.get(kinds.join());
  if (known !== undefined) return known;
  const statement = prepared<DueTerms, Claim>(`job-claim-due-${claimsDue.size}`, (given) =>
    claim(given).where("id", "in", (db) =>
      db
        .selectFrom("job")
        .select("id")
        .where(
          "kind",
          "in",
          kinds.map((kind) => sql.lit(kind)),
        )
        .where(isDue(given.readable))
        .where(sql<boolean>`id <> all(${given.except}::int[])`)
        .orderBy("id")
        .limit(given.most)
        .forUpdate()
        .skipLocked(),
    ),
  );
  claimsDue.set(kinds.join(), statement);
  return statement;
}

/** Claims jobs that are queued, or running with an expired lease, the oldest first. */
export const claimDueJobs = (
  connection: Connection,
  claimant: Claimant,
  { kinds, most, except = [] }: ClaimScope,
): Promise<Claim[]> => rowsOf(connection, claimDue(kinds)({ ...termsOf(claimant), most, except }));
