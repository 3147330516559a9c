// Finds the very guest that a job is about: what has its VMID by now may be another one.
import { z } from "zod";
import { locateGuest, type LocatedGuest } from "../../src/actions/locateGuest.js";
import { GuestType } from "../../src/core/enums.js";
import { evidenceOfAnother, guestMarks, NO_MARKS } from "../../src/core/inventory/identity.js";
import type { GuestConfig } from "../../src/hypervisor/guest.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import { replacements } from "../../src/inventory/guestConfigs.js";
import type { World } from "../step.js";

const text = z.string().nullable();
const storedIdentity = z.object({
  marks: z.object({ uuid: text, createdAt: z.number().nullable(), generation: text }),
  /** Milliseconds since 1970. */
  identifiedAt: z.number(),
});

/** The guest as the inventory knew it when the job locked it. */
export interface Target {
  readonly id: number;
  readonly type: GuestType;
  readonly vmid: number;
  readonly node: string;
  readonly memoryMb: number;
  readonly diskBytes: number;
  /** Null: its configuration was never read. */
  readonly identity: z.infer<typeof storedIdentity> | null;
}

/** Null when the record is gone. */
export async function targetOf({ services, job }: World): Promise<Target | null> {
  const { rows } = await services.pool.query<Omit<Target, "identity"> & { identity: unknown }>(
    `select g.id, g.type, g.vmid, n.name as node, g.memory_mb as "memoryMb", g.disk_bytes::float8 as "diskBytes", g.identity
     from guest g join node n on n.id = g.node_id where g.id = $1 and g.gone_at is null`,
    [job.guestId],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const identity = storedIdentity.safeParse(row.identity);
  return { ...row, identity: identity.success ? identity.data : null };
}

/** Where the job's own guest is on the platform; null when it is not there any more. @throws DroverError platform */
export async function locateTarget(world: World): Promise<LocatedGuest | null> {
  const target = await targetOf(world);
  if (target === null) return null;
  const hypervisor = await world.hypervisor();
  const { type, node, vmid } = target;
  const located = await locateGuest(hypervisor, { type, node, vmid });
  if (located === null || (await isTarget(hypervisor, target, located.config))) return located;
  world.log.warn({ vmid }, "another guest has the VMID by now: it is left alone");
  return null;
}

/** Containers have no marks: there only a creation or a destruction since tells. */
async function isTarget(
  hypervisor: Hypervisor,
  { type, vmid, identity }: Target,
  config: GuestConfig,
): Promise<boolean> {
  if (identity === null) return true;
  const isMachine = type === GuestType.QEMU;
  const replacedAt = isMachine ? null : (replacements(await hypervisor.recentTasks()).get(vmid) ?? null);
  const seen = { type, marks: isMachine ? guestMarks(config.values) : NO_MARKS, replacedAt };
  return evidenceOfAnother({ type, ...identity }, seen) === null;
}
