// Starts a failed migration again: from its beginning, or, once the guest is on the target, from where it stopped.
import type { PoolClient } from "pg";
import { permit, permitHost } from "../../access/permit.js";
import type { Context } from "../../context.js";
import { Permission } from "../../core/access/permissions.js";
import { JobKind, MigrationStatus } from "../../core/enums.js";
import { inTransaction } from "../../db/transaction.js";
import { DroverError, notFound } from "../../errors.js";
import { guestBusy } from "../findGuest.js";
import { guestLock } from "../guestLock.js";
import { insertJob } from "../insertJob.js";
import { migrationInput, type FrozenMigration } from "./migrationInput.js";

interface FailedMigration {
  readonly id: number;
  readonly jobId: number | null;
  readonly status: MigrationStatus;
  readonly transferDone: boolean;
  readonly input: unknown;
  readonly sourceHostId: number;
  readonly targetHostId: number;
}

const FAILED = `
  select m.id, m.job_id as "jobId", m.status, m.transfer_done as "transferDone", j.input,
    m.source_host_id as "sourceHostId", m.target_host_id as "targetHostId"
  from migration m left join job j on j.id = m.job_id where m.id = $1 for update of m`;

/**
 * The plan stays as it was; before the transfer everything is checked again.
 * @throws DroverError notFound, forbidden, conflict (`NOT_RETRYABLE`, `GUEST_BUSY`, `VMID_TAKEN`, `ADDRESS_TAKEN`)
 */
export async function retryMigration(context: Context, migrationId: number): Promise<void> {
  permit(context, Permission.HOSTS_MANAGE);
  const jobId = await inTransaction(context.pool, async (client) => {
    const { rows } = await client.query<FailedMigration>(FAILED, [migrationId]);
    const [failed] = rows;
    if (failed === undefined) throw notFound(`Migration ${migrationId}`);
    permitHost(context, failed.sourceHostId);
    permitHost(context, failed.targetHostId);
    if (failed.status !== MigrationStatus.FAILED || failed.jobId === null) throw notRetryable(migrationId);
    return restart(context, client, { ...failed, jobId: failed.jobId });
  });
  await context.jobs.wake({ id: jobId, kind: JobKind.MIGRATION });
}

const notRetryable = (id: number): DroverError =>
  new DroverError("conflict", `migration ${id} has not failed`, { reason: "NOT_RETRYABLE" });

async function restart(
  context: Context,
  client: PoolClient,
  failed: FailedMigration & { readonly jobId: number },
): Promise<number> {
  const input = migrationInput.parse(failed.input);
  const { source, target, guestId } = input;
  await client.query(`select pg_advisory_xact_lock(hashtext('reservations'), $1)`, [target.hostId]);
  const jobId = await insertJob(context, client, { ...source, kind: JobKind.MIGRATION, guestId, secrets: null });
  const locks = [guestLock(source.hostId, source.vmid), guestLock(target.hostId, target.vmid)];
  const { rowCount } = await client.query(
    `insert into resource_lock (key, job_id) values ($2, $1), ($3, $1) on conflict do nothing`,
    [jobId, ...locks],
  );
  if (rowCount !== locks.length) throw guestBusy(source.vmid);
  if (!failed.transferDone) await takeVmidAgain(client, input, jobId);
  await takeAddressAgain(client, input, jobId);
  await carryOn(client, { from: failed.jobId, to: jobId, withSteps: failed.transferDone });
  await client.query(
    `update migration set job_id = $2, status = 'queued', error = null, finished_at = null where id = $1`,
    [failed.id, jobId],
  );
  return jobId;
}

async function takeVmidAgain(client: PoolClient, { target }: FrozenMigration, jobId: number): Promise<void> {
  const { rowCount } = await client.query(
    `insert into vmid_reservation (host_id, vmid, job_id)
     select $1, $2, $3 where not exists (select 1 from guest where host_id = $1 and vmid = $2 and gone_at is null)
     on conflict do nothing`,
    [target.hostId, target.vmid, jobId],
  );
  if (rowCount === 0) {
    throw new DroverError("conflict", `VMID ${target.vmid} is taken on the target`, { reason: "VMID_TAKEN" });
  }
}

/** The failed job has given its address back, unless the guest has it already. */
async function takeAddressAgain(
  client: PoolClient,
  { ipPlan, guestId }: FrozenMigration,
  jobId: number,
): Promise<void> {
  if (ipPlan.zoneId === null || ipPlan.newAddress === null) return;
  const { rowCount } = await client.query(
    `insert into ip_address (zone_id, address, job_id) values ($1, $2, $3)
     on conflict (zone_id, address) do update set job_id = excluded.job_id where ip_address.guest_id = $4`,
    [ipPlan.zoneId, ipPlan.newAddress, jobId, guestId],
  );
  if (rowCount === 0) {
    throw new DroverError("conflict", `${ipPlan.newAddress} is taken on the target`, { reason: "ADDRESS_TAKEN" });
  }
}

/** After the transfer the new job knows what the old one did, so that nothing is done twice. */
async function carryOn(
  client: PoolClient,
  { from, to, withSteps }: { from: number; to: number; withSteps: boolean },
): Promise<void> {
  if (!withSteps) {
    await client.query(`update job set input = old.input from job old where job.id = $2 and old.id = $1`, [from, to]);
    return;
  }
  await client.query(
    `update job set input = old.input, facts = old.facts - 'failure', upids = old.upids
     from job old where job.id = $2 and old.id = $1`,
    [from, to],
  );
  await client.query(
    `insert into job_step (job_id, name, position, status, output, error, started_at, finished_at)
     select $2, name, position, status, output, error, started_at, finished_at from job_step
     where job_id = $1 and status in ('done', 'warned')`,
    [from, to],
  );
}
