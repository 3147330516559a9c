// The input of jobs that install guests: everything that was decided when they were accepted, frozen in their rows.
import { z } from "zod";
import { GuestType } from "../core/enums.js";

const address = z.object({
  /** Address with prefix length, such as `10.0.0.5/24`. */
  cidr: z.string(),
  gateway: z.string().nullable(),
  family: z.union([z.literal(4), z.literal(6)]),
});

/** What a guest is made from. */
const guestImage = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("template"), templateId: z.number().int(), node: z.string(), vmid: z.number().int() }),
  z.object({ kind: z.literal("file"), volid: z.string() }),
]);
export type GuestImage = z.infer<typeof guestImage>;

export const creationInput = z.object({
  type: z.enum(GuestType),
  name: z.string(),
  cores: z.number().int(),
  memoryMb: z.number().int(),
  /** Of the system disk. */
  diskGb: z.number().int(),
  /** Of the template's other disks, which the guest gets besides. Missing in jobs of earlier releases, which reserved nothing for them. */
  furtherDiskBytes: z.number().int().optional(),
  /** Whether the VMID was asked for: then it is that one or none. Missing in jobs of earlier releases: it counts as asked for. */
  vmidAsked: z.boolean().optional(),
  /** Whether placement may choose another node if this one no longer has room. */
  auto: z.boolean(),
  storage: z.string(),
  image: guestImage,
  network: z.object({
    /** Null: the template's own bridge, or the node's first. */
    bridge: z.string().nullable(),
    vlan: z.number().int().nullable(),
    /** Null: DHCP. */
    address: address.nullable(),
    nameservers: z.array(z.string()),
  }),
  ownerId: z.number().int().nullable(),
  planId: z.number().int().nullable(),
});

export const reinstallationInput = z.object({ image: guestImage });

/** Frozen input of a `guest_reinstall` job: all else is read from the guest itself. */
export type ReinstallationInput = z.infer<typeof reinstallationInput>;

/** Frozen input of a `guest_create` job. */
export type CreationInput = z.infer<typeof creationInput>;

export const guestSecrets = z.object({ password: z.string().nullable(), sshKeys: z.array(z.string()) });

/** How the guest's owner gets in; sealed with purpose `job.secrets` while a job needs it. */
export type GuestSecrets = z.infer<typeof guestSecrets>;
