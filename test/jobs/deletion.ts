// Guests on the simulated host, and jobs that delete them.
import { runJob } from "../../jobs/engine/executor.js";
import { placeGuest } from "../../simulator/scenarios/placeGuest.js";
import { deleteGuest } from "../../src/actions/guest/deleteGuest.js";
import type { GuestType } from "../../src/core/enums.js";
import { contextFor } from "../support/viewers.js";
import { jobRow, sync, type Stage } from "./creation.js";
import { executorFor } from "./killing.js";

/** What is to be different about a guest. */
export type GuestChanges = Partial<Parameters<typeof placeGuest>[1]>;

/** Puts a small guest that runs on the host, unsynced. */
export function placeUnseen({ host }: Stage, vmid: number, changes: GuestChanges = {}): void {
  const plan = {
    type: "qemu",
    node: "pvea",
    name: `g${vmid}`,
    status: "running",
    memory: 128,
    cores: 1,
    diskGb: 1,
  } as const;
  placeGuest(host.platform, { ...plan, vmid, config: {}, snapshots: [], ...changes });
}

/** The same, and has it on record. */
export async function placeToDelete(stage: Stage, vmid: number, changes: GuestChanges = {}): Promise<void> {
  placeUnseen(stage, vmid, changes);
  await sync(stage);
}

/** @returns the id of the job */
export const queueDeletion = async (stage: Stage, vmid: number, type: GuestType = "qemu"): Promise<number> =>
  (await deleteGuest(await contextFor(stage.services), { hostId: stage.hostId, type, vmid })).jobId;

/** @returns the job's row at its end */
export async function removeByJob(
  stage: Stage,
  vmid: number,
  type: GuestType = "qemu",
): Promise<Record<string, unknown>> {
  const jobId = await queueDeletion(stage, vmid, type);
  await runJob(executorFor(stage.services, "test"), jobId);
  return jobRow(stage, jobId);
}
