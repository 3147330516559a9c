// Guests of a customer on the simulated host, and jobs that install them anew.
import { runJob } from "../../jobs/engine/executor.js";
import { placeGuest } from "../../simulator/scenarios/placeGuest.js";
import { reinstallGuest } from "../../src/actions/guest/reinstallGuest.js";
import type { GuestType } from "../../src/core/enums.js";
import type { InstallRequest } from "../../src/core/guest/specification.js";
import { plant } from "../support/rows.js";
import { contextFor } from "../support/viewers.js";
import { CONTAINER_TEMPLATE, jobRow, openStage, sync, type Stage } from "./creation.js";
import { executorFor } from "./killing.js";

const PASSWORD = "correct horse";
export const MACHINE_SETTINGS = {
  net0: "virtio=BC:24:11:AA:BB:CC,bridge=vmbr1,tag=20",
  ipconfig0: "ip=192.0.2.9/24,gw=192.0.2.1",
  nameserver: "192.0.2.53",
  tags: "gold;web",
  onboot: 1,
  sockets: 2,
  description: "Ann's web server",
};
export const CONTAINER_SETTINGS = {
  net0: "name=eth0,bridge=vmbr0,gw=192.0.2.1,hwaddr=BC:24:11:AA:BB:DD,ip=192.0.2.10/24,type=veth",
  tags: "gold",
  swap: 128,
  nameserver: "192.0.2.53",
};

/** A stage with a customer, whose guests are installed anew. */
export async function openReinstallationStage(): Promise<Stage> {
  const stage = await openStage();
  await plant(stage.services.pool, { user_account: [{ username: "ann" }] });
  return stage;
}

/** Puts a machine of the customer that runs on the host, and has it on record. */
export async function placeOwned(
  stage: Stage,
  vmid: number,
  changes: Partial<Parameters<typeof placeGuest>[1]> = {},
): Promise<void> {
  const plan = {
    type: "qemu",
    node: "pvea",
    name: `g${vmid}`,
    status: "running",
    memory: 128,
    cores: 2,
    diskGb: 3,
  } as const;
  placeGuest(stage.host.platform, { ...plan, vmid, config: MACHINE_SETTINGS, snapshots: [], ...changes });
  await sync(stage);
  await stage.services.pool.query(`update guest set owner_id = 1 where vmid = $1 and gone_at is null`, [vmid]);
}

/** @returns the id of the job */
export async function queueReinstallation(
  stage: Stage,
  vmid: number,
  request: InstallRequest = {},
  type: GuestType = "qemu",
): Promise<number> {
  const osTemplate = type === "qemu" ? `tpl:${stage.templateId}` : CONTAINER_TEMPLATE;
  const asked = { osTemplate, password: PASSWORD, ...request };
  const { jobId } = await reinstallGuest(await contextFor(stage.services), { hostId: stage.hostId, type, vmid }, asked);
  return jobId;
}

/** @returns the job's row at its end */
export async function runToEnd(stage: Stage, jobId: number): Promise<Record<string, unknown>> {
  await runJob(executorFor(stage.services, "test"), jobId);
  return jobRow(stage, jobId);
}

/** @returns all records that ever were of the VMID */
export async function rowsOf(stage: Stage, vmid: number): Promise<unknown[]> {
  const { rows } = await stage.services.pool.query(
    `select id, owner_id, status, gone_at is null as here from guest where vmid = $1 order by id`,
    [vmid],
  );
  return rows;
}

/** @returns the guest's configuration on the host; empty when it is not there */
export const configOf = ({ host }: Stage, vmid: number): Record<string, string> =>
  host.platform.state.guests.get(vmid)?.config ?? {};
