// Writes jobs whose stored JSON is of another version: brings it forward, parks what cannot be read, and takes up or ends what was parked.
import { sql } from "kysely";
import { MigrationStep } from "../../core/enums.js";
import { releaseHeldSql } from "../held/release.js";
import { HELD, type Lease } from "./job.js";
import * as migrations from "../migration.js";
import { textOf, type Connection } from "../tables.js";

/** From now on the row is as this version writes it: an earlier one no longer claims it. */
const BRING_FORWARD = `update job set input = $3, facts = $4, version = $5 ${HELD}`;

/** It keeps all that it holds: what it was doing may go on at its hosts, and a later attempt needs it. */
const PARK = `
  update job set status = 'failed', error = $3, parked_at = service_now(), finished_at = service_now(), lease_until = null, worker = null
  ${HELD}`;

/** The sweep may have removed the temporary token of a move: its step is repeated, unless the transfer was begun. */
const UNPARK = `
  with queued as (
    update job set status = 'queued', parked_at = null, error = null, finished_at = null where id = $1 returning id
  )
  delete from job_step s using queued where s.job_id = queued.id and s.name = $2`;

const GIVE_UP = `
  with held as (
    update job set parked_at = null, secrets_encrypted = null, error = error || '; ' || $2::text where id = $1 returning id
  ), ${releaseHeldSql()}
  ${textOf(migrations.refusalOfHeld(sql.raw("$2::text")))}`;

/** What a job has stored, in the shape of one version. */
export interface StoredContent {
  readonly input: unknown;
  readonly facts: unknown;
  readonly version: number;
}

/** Stores the content of a claimed job in another version. @returns whether the lease is held */
export async function bringForward(connection: Connection, lease: Lease, content: StoredContent): Promise<boolean> {
  const { input, facts, version } = content;
  const values = [lease.id, lease.leaseEpoch, JSON.stringify(input), JSON.stringify(facts), version];
  return (await connection.query({ text: BRING_FORWARD, values })).rowCount === 1;
}

/** Ends a claimed job without releasing anything. @returns whether the lease is held */
export async function parkJob(connection: Connection, { id, leaseEpoch }: Lease, error: string): Promise<boolean> {
  return (await connection.query({ text: PARK, values: [id, leaseEpoch, error] })).rowCount === 1;
}

/** Queues a parked job; the caller commits, then wakes a worker. */
export async function unparkJob(connection: Connection, id: number): Promise<void> {
  await connection.query({ text: UNPARK, values: [id, MigrationStep.TARGET_TOKEN] });
}

/** Releases all that a parked job holds; it stays failed, for this reason too. */
export async function giveUpJob(connection: Connection, id: number, reason: string): Promise<void> {
  await connection.query({ text: GIVE_UP, values: [id, reason] });
}
