// A small stage for creation jobs: one simulated host with a QEMU template, and requests that fit it.
import { createGuest } from "../../src/actions/guest/createGuest.js";
import type { QueuedGuest } from "../../src/placement/creation.js";
import { syncHost } from "../../src/inventory/syncHost.js";
import type { GuestCreateRequest } from "../../src/core/guest/specification.js";
import { placeGuest } from "../../simulator/scenarios/placeGuest.js";
import type { RunningHost } from "../../simulator/host.js";
import { connectHost, createPlatformServices, startTestHost, type Reach } from "../support/platform.js";
import type { TestServices } from "../support/services.js";
import { contextFor } from "../support/viewers.js";

export const TEMPLATE_VMID = 9000;
export const CONTAINER_TEMPLATE = "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.gz";

export interface Stage {
  readonly host: RunningHost;
  readonly services: TestServices;
  readonly hostId: number;
  readonly templateId: number;
  close(): Promise<void>;
}

/** @param nodes several form a cluster; the template is on the first */
export async function openStage(reach?: Reach, nodes: string[] = ["pvea"]): Promise<Stage> {
  const host = await startTestHost({ nodes });
  placeGuest(host.platform, {
    type: "qemu",
    vmid: TEMPLATE_VMID,
    node: "pvea",
    name: "tpl-debian",
    status: "stopped",
    memory: 512,
    cores: 1,
    diskGb: 2,
    config: { template: 1, tags: "template", ide2: "local:9000/vm-9000-cloudinit.qcow2,media=cdrom" },
    snapshots: [],
  });
  const services = await createPlatformServices({}, reach);
  const hostId = await connectHost(services, host);
  const { rows } = await services.pool.query<{ id: number }>(
    `insert into os_template (host_id, node_id, vmid, name, min_disk_bytes)
     select host_id, node_id, vmid, name, system_disk_bytes from guest where vmid = $1 returning id`,
    [TEMPLATE_VMID],
  );
  return {
    host,
    services,
    hostId,
    templateId: rows[0]?.id ?? 0,
    async close() {
      await services.close();
      await host.close();
    },
  };
}

export const machineRequest = ({ templateId }: Stage, changes: GuestCreateRequest = {}): GuestCreateRequest => ({
  type: "qemu",
  node: "pvea",
  name: "web1.example.com",
  cores: 2,
  memoryMb: 1024,
  diskGb: 4,
  vmid: 120,
  osTemplate: `tpl:${templateId}`,
  password: "correct horse",
  ...changes,
});

export const containerRequest = (changes: GuestCreateRequest = {}): GuestCreateRequest => ({
  type: "lxc",
  node: "pvea",
  name: "ct1",
  cores: 1,
  memoryMb: 256,
  diskGb: 2,
  vmid: 130,
  osTemplate: CONTAINER_TEMPLATE,
  password: "correct horse",
  ...changes,
});

/** Accepts a creation and leaves it queued. */
export const queueGuest = async (stage: Stage, request: GuestCreateRequest): Promise<QueuedGuest> =>
  createGuest(await contextFor(stage.services), stage.hostId, request);

export const sync = (stage: Stage): Promise<void> => syncHost(stage.services, stage.hostId, { thorough: true });

/** What the job's row says. */
export async function jobRow(stage: Stage, jobId: number): Promise<Record<string, unknown>> {
  const { rows } = await stage.services.pool.query<Record<string, unknown>>(`select * from job where id = $1`, [jobId]);
  return rows[0] ?? {};
}

/** Rows that hold something for a job; an ended job holds nothing but room that the next sync frees. */
export async function holdings(stage: Stage): Promise<number> {
  const { rows } = await stage.services.pool.query<{ count: number }>(
    `select ((select count(*) from resource_lock) + (select count(*) from vmid_reservation)
       + (select count(*) from clone_turn) + (select count(*) from ip_address where job_id is not null))::int as count`,
  );
  return rows[0]?.count ?? -1;
}
