// A host with guests that the connection does not see, for creations whose VMID the service chooses.
import assert from "node:assert/strict";
import { graphql } from "graphql";
import { runJob } from "../../jobs/engine/executor.js";
import { buildDroverSchema } from "../../resolvers/buildSchema.js";
import type { GuestCreateRequest } from "../../src/core/guest/specification.js";
import { UserRole } from "../../src/core/enums.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import type { Services } from "../../src/context/context.js";
import { placeGuest } from "../../simulator/scenarios/placeGuest.js";
import { contextOf, userViewer } from "../support/context.js";
import { fromNow, plant } from "../support/rows.js";
import { changedHosts } from "./changedHosts.js";
import { jobRow, machineRequest, openStage, sync, type Stage } from "./creation.js";
import { executorFor } from "./killing.js";
import { connectAs, MINIMAL_ROLE } from "./migration/connectedAs.js";

/** What a guest is like that somebody made beside the service. */
const FOREIGN = {
  type: "qemu" as const,
  node: "pvea",
  name: "foreign",
  status: "stopped" as const,
  memory: 64,
  cores: 1,
  diskGb: 0.0625,
  config: {},
  snapshots: [],
};

export const placeForeign = ({ host }: Stage, vmid: number) => placeGuest(host.platform, { ...FOREIGN, vmid });

/** A VMID under which the connection has other rights than elsewhere. */
interface Ruled {
  readonly vmid: number;
  readonly lacks: string;
}

/** Connects the host by a token with the rights that the service asks for, but for these. */
export const connectWithout = (stage: Stage, ruled: readonly Ruled[]): Promise<string> =>
  connectAs(stage, stage, [
    { path: "/", privileges: MINIMAL_ROLE },
    ...ruled.map(({ vmid, lacks }) => ({
      path: `/vms/${vmid}`,
      privileges: MINIMAL_ROLE.filter((privilege) => privilege !== lacks),
    })),
  ]);

/** Guests that the connection does not see. */
export async function hide(stage: Stage, vmids: readonly number[]): Promise<void> {
  await hideUnsynced(stage, vmids);
  await sync(stage);
}

export async function hideUnsynced(stage: Stage, vmids: readonly number[]): Promise<void> {
  for (const vmid of vmids) placeForeign(stage, vmid);
  await connectWithout(
    stage,
    vmids.map((vmid) => ({ vmid, lacks: "VM.Audit" })),
  );
}

export const setRange = async (stage: Stage, range: { lower?: number; upper?: number } | null): Promise<void> => {
  stage.host.platform.state.nextId = range;
  await sync(stage);
};

export const SMALL = { memoryMb: 64, diskGb: 2 };

export const auto = (stage: Stage, changes: GuestCreateRequest = {}): GuestCreateRequest =>
  machineRequest(stage, { node: "auto", vmid: null, ...SMALL, ...changes });

export const run = (stage: Stage, jobId: number, services: Services = stage.services): Promise<void> =>
  runJob(executorFor(services, "test"), jobId);

/** The jobs' states and errors, and the VMIDs that they name. */
export async function ended(stage: Stage, jobIds: readonly number[]) {
  const rows = await Promise.all(jobIds.map((jobId) => jobRow(stage, jobId)));
  return rows.map(({ status, error, vmid }) => ({ status, error, vmid }));
}

export const done = (vmid: number) => ({ status: "done", error: null, vmid });

/** The field that clients ask for the next VMID. */
export async function nextVmid({ services, hostId }: Stage): Promise<unknown> {
  const { data, errors } = await graphql({
    schema: buildDroverSchema(),
    source: `query { nextVmid(hostId: ${hostId}) }`,
    contextValue: contextOf(services, userViewer(UserRole.ADMIN, 1)),
  });
  assert.deepEqual(errors, undefined);
  return data?.["nextVmid"];
}

/** A host that calls a VMID free once more although somebody has just taken it. */
export function overtakenHost(stage: Stage, vmid: number, take: () => unknown): Services {
  let isTaken = false;
  const change = (host: Hypervisor): Partial<Hypervisor> => ({
    async vmidIsFree(asked) {
      if (asked !== vmid || isTaken) return host.vmidIsFree(asked);
      isTaken = true;
      const isFree = await host.vmidIsFree(asked);
      take();
      return isFree;
    },
  });
  return { ...stage.services, hypervisors: changedHosts(stage.services.hypervisors, change) };
}

/** A stage whose nodes have agents that no slow machine makes stale. */
export async function openVmidStage(): Promise<Stage> {
  const stage = await openStage();
  await plant(stage.services.pool, { agent: [{ healthy: true, last_seen_at: fromNow(86_400) }] });
  return stage;
}
