// The input of a migration's job: the plan as it was accepted, frozen in the job's row.
import { z } from "zod";
import { GuestType, IpPlanKind, MigrationMode } from "../core/enums.js";

const end = z.object({ hostId: z.number().int(), nodeId: z.number().int(), node: z.string(), vmid: z.number().int() });
const pair = z.object({ source: z.string(), target: z.string() });

export const migrationInput = z.object({
  migrationId: z.number().int(),
  guestId: z.number().int(),
  type: z.enum(GuestType),
  name: z.string(),
  source: end,
  target: end,
  /** Whether somebody asked for this VMID on the target: otherwise the service chose it. */
  vmidAsked: z.boolean(),
  mode: z.enum(MigrationMode),
  bytesTotal: z.number(),
  /** Null: unknown. */
  expectedSeconds: z.number().nullable(),
  /** `bytesTotal` at the pace that the route had shown; null: unknown; missing: planned by an older release. */
  transferSeconds: z.number().nullable().optional(),
  storages: z.array(pair),
  bridges: z.array(pair),
  /** RAM and disks that the target's node is to keep free. */
  room: z.object({
    memoryMb: z.number().int(),
    storages: z.array(z.object({ name: z.string(), bytes: z.number() })),
  }),
  ipPlan: z.object({
    kind: z.enum(IpPlanKind),
    currentAddress: z.string().nullable(),
    newAddress: z.string().nullable(),
    zoneId: z.number().int().nullable(),
    explanation: z.string(),
  }),
  /** Whether the plan gave the temporary token the right to change the target's system; missing: planned by an older release. */
  tokenModifies: z.boolean().optional(),
  dropPortForwards: z.boolean(),
  /** Public ports as planned; those that are taken by then give way to free ones. */
  portForwards: z.array(
    z.object({ forwardId: z.number().int(), newPublicPort: z.number().int(), dropped: z.boolean() }),
  ),
  /** MiB/s; null: as the platform is set. */
  bandwidthMib: z.number().int().nullable(),
});

/** Frozen input of a `migration` job. */
export type FrozenMigration = z.infer<typeof migrationInput>;
