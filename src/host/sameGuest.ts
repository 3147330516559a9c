// Decides whether the guest that the platform has under a VMID is the one on record: the VMID may have been reused.
import { z } from "zod";
import { GuestType } from "../core/enums.js";
import { evidenceOfAnother, knownGuest, seenGuest } from "../core/inventory/identity.js";
import type { GuestConfig } from "../hypervisor/guestConfig.js";
import type { Hypervisor } from "../hypervisor/hypervisor.js";
import { replacements } from "../inventory/guestConfigs.js";

const text = z.string().nullable();
const texts = z.array(z.string());
/** Records of earlier versions have the first three marks alone, and no tasks. */
const storedIdentity = z.object({
  marks: z.object({
    uuid: text,
    createdAt: z.number().nullable(),
    generation: text,
    cards: texts.default([]),
    root: text.default(null),
    name: text.default(null),
  }),
  /** Milliseconds since 1970. */
  identifiedAt: z.number(),
  tasks: texts.nullish(),
});

/** The guest on record. */
export interface RecordedGuest {
  readonly type: GuestType;
  readonly vmid: number;
  /** As the inventory stores it; null: its configuration was never read. */
  readonly identity: unknown;
}

/**
 * Of containers the tasks that made and destroyed them are asked for, which is one call more.
 * @param config what the platform has under the VMID now
 * @throws DroverError platform
 */
export async function isSameGuest(
  hypervisor: Hypervisor,
  { type, vmid, identity }: RecordedGuest,
  config: GuestConfig,
): Promise<boolean> {
  const known = storedIdentity.safeParse(identity);
  if (!known.success) return true;
  const isMachine = type === GuestType.QEMU;
  const replaced = replacements(isMachine ? [] : await hypervisor.recentTasks());
  const seen = seenGuest({ type, vmid, marks: config.marks }, replaced);
  return evidenceOfAnother(knownGuest(type, known.data), seen) === null;
}
