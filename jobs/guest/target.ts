// Finds the guest that a job is about: another guest may have its VMID by now.
import { locateGuest, type LocatedGuest } from "../../src/actions/guest/locateGuest.js";
import { isSameGuest } from "../../src/actions/guest/sameGuest.js";
import type { GuestType } from "../../src/core/enums.js";
import type { StepContext } from "../engine/step.js";

/** The guest as the inventory knew it when the job locked it. */
export interface Target {
  readonly id: number;
  readonly type: GuestType;
  readonly vmid: number;
  readonly node: string;
  readonly memoryMb: number;
  readonly diskBytes: number;
  /** As the inventory stores it; null: its configuration was never read. */
  readonly identity: unknown;
}

/** The guest on record; null when the record is gone. */
export async function targetOf(
  { services, job }: StepContext,
  guestId: number | null = job.guestId,
): Promise<Target | null> {
  const { rows } = await services.pool.query<Target>(
    `select g.id, g.type, g.vmid, n.name as node, g.memory_mb as "memoryMb", g.disk_bytes::float8 as "diskBytes", g.identity
     from guest g join node n on n.id = g.node_id where g.id = $1 and g.gone_at is null`,
    [guestId],
  );
  return rows[0] ?? null;
}

/** Where the job's own guest is on the platform; null when it is not there any more. @throws DroverError platform */
export async function locateTarget(context: StepContext): Promise<LocatedGuest | null> {
  const target = await targetOf(context);
  if (target === null) return null;
  const hypervisor = await context.hypervisor();
  const { type, node, vmid } = target;
  const located = await locateGuest(hypervisor, { type, node, vmid });
  if (located === null || (await isSameGuest(hypervisor, target, located.config))) return located;
  context.log.warn({ vmid }, "another guest has the VMID by now: it is left alone");
  return null;
}
