// Containers made over REST v1 on the simulated host: requests, and how their jobs get on.
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Pool } from "pg";
import { z } from "zod";
import { bearer } from "../load/load.js";
import type { ServerProcess } from "../server/process.js";

const FIRST_VMID = 1_000;
const CONTAINER = {
  type: "lxc",
  node: "pve1",
  name: "box",
  cores: 1,
  memory_mb: 128,
  disk_gb: 1,
  os_template: "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.gz",
  password: "correct horse",
};
const LOOK_MS = 5;
/** Rarely, or the looking would be a part of the figures. */
const LOOK_FOR_END_MS = 100;

const queued = z.object({ data: z.object({ job_id: z.number() }) });

/** Asks for one more small container. @returns the id of its job @throws Error when it is not accepted */
export type RequestContainer = () => Promise<number>;

/** Each request is for the next VMID. */
export function containerRequests({ url }: ServerProcess, token: string): RequestContainer {
  let vmid = FIRST_VMID;
  return async () => {
    const response = await fetch(`${url}/api/v1/hosts/1/guests`, {
      method: "POST",
      headers: { ...bearer(token), "Content-Type": "application/json" },
      body: JSON.stringify({ ...CONTAINER, vmid: vmid++ }),
    });
    const body: unknown = await response.json();
    assert.equal(response.status, 202, `a creation was not accepted: ${JSON.stringify(body)}`);
    return queued.parse(body).data.job_id;
  };
}

/** The host has been synced: guests can be made on it. */
export const hostIsKnown = (pool: Pool): Promise<void> => until(pool, "select count(*) > 0 as yes from node");

/** @returns when a worker had taken the job, milliseconds since 1970, on the database's clock */
export async function startOf(pool: Pool, jobId: number): Promise<number> {
  await until(pool, `select started_at is not null as yes from job where id = ${jobId}`);
  const { rows } = await pool.query<{ at: number }>(
    "select extract(epoch from started_at)::float8 * 1000 as at from job where id = $1",
    [jobId],
  );
  return rows[0]?.at ?? Number.NaN;
}

/** Waits until every job has ended. @throws Error when one has failed */
export async function allDone(pool: Pool): Promise<void> {
  await until(pool, "select count(*) = 0 as yes from job where finished_at is null", LOOK_FOR_END_MS);
  const { rows } = await pool.query("select error from job where status <> 'done' limit 1");
  assert.deepEqual(rows, [], "every creation has succeeded");
}

async function until(pool: Pool, question: string, lookMs = LOOK_MS): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ yes: boolean }>(question);
    if (rows[0]?.yes === true) return;
    await delay(lookMs);
  }
}
