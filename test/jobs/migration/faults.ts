// Breaks and slows the simulated hosts of a move, and starts a failed move anew.
import assert from "node:assert/strict";
import { retryMigration } from "../../../src/actions/migration/retry.js";
import { contextFor } from "../../support/viewers.js";
import { migrationRow, run, type MoveStage, type QueuedMove, type Side } from "./stage.js";

export interface Fault extends Fate {
  readonly side: "source" | "target";
}

/** What becomes of the requests that match. */
export interface Fate {
  readonly method: string;
  readonly path: string;
  readonly times?: number;
  readonly status?: number;
  readonly message?: string;
  readonly effect?: "drop" | "status";
  readonly afterwards?: boolean;
}

export async function breakRequests({ host }: Side, fault: Fate): Promise<void> {
  const order = { times: 1, effect: "status", status: 500, message: "broken for once", ...fault };
  const body = order.effect === "status" ? order : { ...order, status: undefined, message: undefined };
  const answer = await fetch(`${host.control}/faults`, { method: "POST", body: JSON.stringify(body) });
  assert.equal(answer.ok, true, await answer.text());
}

export async function setSpeed({ host }: Side, speed: { bytesPerSecond?: number; timeFactor?: number }): Promise<void> {
  const answer = await fetch(`${host.control}/speed`, { method: "POST", body: JSON.stringify(speed) });
  assert.equal(answer.ok, true, await answer.text());
}

export const retry = async (stage: MoveStage, { migrationId }: QueuedMove): Promise<Record<string, unknown>> => {
  await retryMigration(await contextFor(stage.services), migrationId);
  await run(stage, Number((await migrationRow(stage, migrationId))["job_id"]));
  return migrationRow(stage, migrationId);
};
