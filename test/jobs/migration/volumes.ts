// The volumes on a move's target: a machine that has several, transfers that are broken in the middle of them, and others' beside them.
import assert from "node:assert/strict";
import type { Volume } from "../../../simulator/state/storage.js";
import { until } from "../../support/until.js";
import { setSpeed } from "./faults.js";
import { migrationRow, run, type MoveStage, type QueuedMove } from "./stage.js";

const GIB = 1024 ** 3;

/** Two disks and a cloud-init drive. */
export const machine = (vmid: number, storage = "local"): Record<string, string> => ({
  ide2: `${storage}:${vmid}/vm-${vmid}-cloudinit.qcow2,media=cdrom,size=4M`,
  scsi0: `${storage}:${vmid}/vm-${vmid}-disk-0.qcow2,size=64M`,
  ipconfig0: "ip=10.0.0.5/24",
});

export const volumesOf = ({ target }: MoveStage, vmid: number): string[] =>
  target.host.platform.state.volumes
    .flatMap((volume) => (volume.vmid === vmid ? [`${volume.storage}:${volume.name}`] : []))
    .toSorted();

/** A volume on the target that is no transfer's. */
export function putVolume({ target }: MoveStage, vmid: number, change: Partial<Volume> = {}): void {
  const { platform } = target.host;
  platform.state.volumes.push({
    storage: "local",
    node: target.node,
    name: `${vmid}/vm-${vmid}-disk-0.qcow2`,
    content: "images",
    format: "qcow2",
    size: GIB,
    used: 1000,
    vmid,
    parent: null,
    ctime: platform.clock.seconds() - 86_400,
    hasSystem: false,
    ...change,
  });
}

/** Ends the source's transfer as an operator does. */
async function stopTransfer({ source }: MoveStage): Promise<void> {
  const { tasks } = source.host.platform;
  const [transfer] = tasks.active().filter(({ type }) => type === "qmigrate" || type === "vzmigrate");
  assert.ok(transfer !== undefined);
  await tasks.stop(transfer.upid);
}

interface Break {
  readonly vmid: number;
  /** So many volumes have the VMID on the target then. Left out: the cloud-init drive, and a part of the disk. */
  readonly count?: number;
  /** Left out: the source's transfer is stopped. */
  readonly how?: (stage: MoveStage) => unknown;
  /** Left out: as a worker does. */
  readonly work?: (stage: MoveStage, jobId: number) => Promise<void>;
}

/** Runs a move whose transfer is broken in the middle. */
export async function breakHalfway(
  stage: MoveStage,
  { migrationId, jobId }: QueuedMove,
  { vmid, count = 2, how = stopTransfer, work = run }: Break,
): Promise<Record<string, unknown>> {
  await setSpeed(stage.source, { bytesPerSecond: 2e5 });
  const running = work(stage, jobId);
  await until(`${count} volumes are there`, () => volumesOf(stage, vmid).length === count);
  await how(stage);
  await running;
  await setSpeed(stage.source, { bytesPerSecond: 1e9 });
  return migrationRow(stage, migrationId);
}

export const killTasks = ({ source }: MoveStage): void => source.host.platform.tasks.killNode(source.node);
