// A template with several disks on the stage of creations, the room on its storage, and what is reserved and recorded of it.
import { placeGuest } from "../../simulator/scenarios/placeGuest.js";
import { registerOsTemplate } from "../../src/actions/catalogue/template.js";
import { GIB } from "../../src/core/units.js";
import { plant } from "../support/rows.js";
import { contextFor } from "../support/viewers.js";
import { sync, type Stage } from "./creation.js";

/**
 * Registers a template with `scsi0` of 3 GiB, which it starts from, and `scsi1` of 50, besides drives that are no disks.
 * @returns its reference, as requests name it
 */
export async function addTemplate(stage: Stage, vmid: number, config: Record<string, string> = {}): Promise<string> {
  const name = `tpl-${vmid}`;
  placeGuest(stage.host.platform, {
    type: "qemu",
    vmid,
    node: "pvea",
    name,
    status: "stopped",
    memory: 512,
    cores: 1,
    diskGb: 3,
    config: {
      template: 1,
      scsi1: `local:${vmid}/vm-${vmid}-disk-1.qcow2,size=50G`,
      ide2: `local:${vmid}/vm-${vmid}-cloudinit.qcow2,media=cdrom`,
      efidisk0: `local:${vmid}/vm-${vmid}-disk-2.qcow2,size=528K`,
      ...config,
    },
    snapshots: [],
  });
  await sync(stage);
  const { services, hostId } = stage;
  const id = await registerOsTemplate(await contextFor(services), { hostId, node: "pvea", vmid, name });
  return `tpl:${id}`;
}

/** Lets something else take room on the storage `local`, so that as much is free, and has that on record. */
export async function fillTo(stage: Stage, freeGb: number): Promise<void> {
  const { storages, volumes } = stage.host.platform.state;
  const local = storages.get("local");
  if (local === undefined) throw new Error("there is no storage local");
  const onVolumes = volumes.reduce((sum, { storage, used }) => sum + (storage === local.name ? used : 0), 0);
  local.foreignBytes = local.totalBytes - onVolumes - freeGb * GIB;
  await sync(stage);
}

/** Reserves so much on the storage `local` for a job. */
export async function reserve({ services }: Stage, jobId: number, gib: number): Promise<void> {
  await plant(services.pool, { capacity_reservation: [{ job_id: jobId, memory_mb: 0, disk_bytes: gib * GIB }] });
}

/** @returns GiB that the job has reserved */
export async function reservedGb({ services }: Stage, jobId: number): Promise<number | undefined> {
  const { rows } = await services.pool.query<{ gib: number }>(
    `select disk_bytes::float8 / ${GIB} as gib from capacity_reservation where job_id = $1`,
    [jobId],
  );
  return rows[0]?.gib;
}

/** @returns GiB of the guest's record: of all its disks, and of its system disk */
export async function recordedGb({ services }: Stage, vmid: number): Promise<unknown> {
  const { rows } = await services.pool.query<{ all: number; system: number | null }>(
    `select disk_bytes::float8 / ${GIB} as all, system_disk_bytes::float8 / ${GIB} as system
     from guest where vmid = $1 and gone_at is null`,
    [vmid],
  );
  return rows[0];
}
