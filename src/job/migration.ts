// What a move stores.
import { z } from "zod";
import { MigrationMode } from "../core/enums.js";
import { DiskKind } from "../core/inventory/disk.js";
import { leftVolume } from "./leftVolume.js";
import { migrationInput } from "./migrationInput.js";
import { jobFacts } from "./jobFacts.js";
import { boundSecrets, type Json, type Shape } from "./shape.js";

/** An incomplete guest: it is recognized without its lock too. */
const remains = z.object({
  lock: z.string(),
  /** Digest of its configuration. */
  mark: z.string(),
});

export type Remains = Readonly<z.infer<typeof remains>>;

/** A drive that lost its role on the way. */
const remadeDrive = z.object({
  /** Its slot, such as `ide2`. */
  key: z.string(),
  /** The volume that it had arrived with. */
  volume: z.string(),
});

export type RemadeDrive = Readonly<z.infer<typeof remadeDrive>>;

/** A drive as the inventory reads it. */
const disk = z.object({
  key: z.string(),
  kind: z.enum(DiskKind),
  volume: z.string(),
  storage: z.string().nullable(),
  bytes: z.number().nullable(),
});

/** A node of the target host. */
const landing = z.object({ node: z.string(), nodeId: z.number().int() });

export type Landing = Readonly<z.infer<typeof landing>>;

const migrationFacts = jobFacts.extend({
  /** As found right before the start; the plan's may be outdated. */
  mode: z.enum(MigrationMode).optional(),
  /** The VMID on the target in place of one that the target refused; the input names the same. */
  targetVmid: z.number().int().optional(),
  /** The guest's drives before the transfer, as the source has them. */
  disks: z.array(disk).readonly().optional(),
  /** No volume of the VMID was on the storages that the transfer writes to: what is there afterwards came with it. */
  targetWasClear: z.literal(true).optional(),
  /** What a failed transfer left there in no guest's configuration; read by SQL too. */
  leftVolumes: z.array(leftVolume).readonly().optional(),
  /** Cloud-init drives that arrived as plain media and are created again. */
  remadeDrives: z.array(remadeDrive).readonly().optional(),
  /** Whether the temporary token gets the right to change the target's system, as the checks found. */
  tokenModifies: z.boolean().optional(),
  /** Transfers of this guest that the source knew before ours began. */
  tasksBefore: z.array(z.string()).readonly().optional(),
  /** The target's task that received the guest, as the source says: where to look for it, and no proof. */
  saidTunnel: z.string().optional(),
  /** The same as the target itself has it, made by the move's own token: what is locked under its VMID there is ours. */
  tunnel: z.string().optional(),
  /** The node that receives the guest, when another one of the target's cluster answered the source than was planned. */
  landed: landing.optional(),
  /** What the transfer left on the target, before its lock was taken off so that it can be removed. */
  remains: remains.optional(),
  /** The source has lost the running guest together with its transfer: a rollback starts it again. */
  wasHalted: z.literal(true).optional(),
  /** The guest is on the target: nothing there is rolled back from here on. */
  transferDone: z.boolean().optional(),
  /** Set when the rollback found that the guest had moved all the same. */
  foundMoved: z.literal(true).optional(),
});

export type MigrationFacts = Readonly<z.infer<typeof migrationFacts>>;

export const migration: Shape = {
  input: migrationInput,
  facts: migrationFacts,
  upgrades: [
    ({ input, facts: { tunnel, ...facts } }) => ({
      input: { ...unknownBefore(input), ...input },
      // The source's word was taken for proof: the target is asked again.
      facts: tunnel === undefined ? facts : { ...facts, saidTunnel: tunnel },
    }),
    boundSecrets,
  ],
};

/**
 * The first releases knew neither the room nor who chose the VMID. Which of its storages takes how much is not known: all of it counts
 * for one, as a promise for a retry; each attempt checks what it needs before it begins. A VMID counts as asked for: a retry then
 * takes no other one unasked.
 */
const unknownBefore = ({ storages, bytesTotal }: Json): Json => ({
  room: { memoryMb: 0, storages: firstTargets(storages).map((name) => ({ name, bytes: bytesTotal })) },
  vmidAsked: true,
});

function firstTargets(storages: unknown): unknown[] {
  const [first]: unknown[] = Array.isArray(storages) ? storages : [];
  return typeof first === "object" && first !== null && "target" in first ? [first.target] : [];
}
