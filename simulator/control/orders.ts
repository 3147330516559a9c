// Checks what is sent to the control address.
import { z } from "zod";
import { rawLinesSchema } from "./rawLines.js";

const count = z.coerce.number().int().min(1);
const scalar = z.union([z.string(), z.number(), z.boolean()]);
const guestType = z.enum(["qemu", "lxc"]);

const pattern = z.string().transform((text, context) => {
  try {
    return new RegExp(text);
  } catch {
    context.issues.push({ code: "custom", message: "is no regular expression", input: text });
    return z.NEVER;
  }
});

/** `POST /faults`. */
export const faultSchema = z
  .strictObject({
    method: z.string().toUpperCase().optional(),
    path: pattern.optional(),
    /** Left out: until it is removed. */
    times: count.optional(),
    effect: z.enum(["drop", "hang", "status"]).optional(),
    status: z.number().int().min(200).max(599).optional(),
    message: z.string().optional(),
    delayMs: z.number().min(0).optional(),
    /** True: the request is carried out and only its answer is lost. */
    afterwards: z.boolean().optional(),
  })
  .refine((fault) => fault.effect !== undefined || fault.delayMs !== undefined, {
    error: "an effect or delayMs is needed",
  })
  .refine((fault) => fault.effect !== "status" || fault.status !== undefined, {
    error: "the effect status needs a status",
    path: ["status"],
  });

/** `POST /tasks/fail`. */
export const taskFailureSchema = z.strictObject({
  type: z.string().min(1),
  vmid: z.number().int().optional(),
  atFraction: z.number().min(0).max(1),
  message: z.string().min(1),
  times: count.default(1),
});

/** `POST /speed`. */
export const speedSchema = z.strictObject({
  bytesPerSecond: z.number().positive().optional(),
  timeFactor: z.number().positive().optional(),
});

/** `POST /nodes/:node`. */
export const nodeSchema = z.strictObject({
  online: z.boolean().optional(),
  /** Share of the processors, 0..1; null: follows the guests again. */
  cpu: z.number().min(0).max(1).nullable().optional(),
  memUsedMb: z.number().min(0).nullable().optional(),
  version: z.string().min(1).optional(),
  /** Installed versions by package that differ from those of the version; replaces what was ordered before. */
  packages: z.record(z.string(), z.string().min(1)).optional(),
  architecture: z.enum(["amd64", "arm64"]).optional(),
});

/** `POST /guests`. */
export const guestSchema = z.strictObject({
  type: guestType,
  vmid: z.number().int().min(100).max(999_999_999),
  node: z.string(),
  name: z.string().min(1),
  status: z.enum(["running", "stopped", "paused"]).default("stopped"),
  /** MiB. */
  memory: z.number().int().positive().default(512),
  cores: z.number().int().positive().default(1),
  diskGb: z.number().min(0).default(8),
  storage: z.string().optional(),
  config: z.object({ lxc: rawLinesSchema.optional() }).catchall(scalar).default({}),
  snapshots: z
    .array(z.union([z.string(), z.strictObject({ name: z.string(), description: z.string().default("") })]))
    .default([]),
  tags: z.union([z.string(), z.array(z.string())]).optional(),
  hastate: z.string().optional(),
  lock: z.string().optional(),
});

/** A guest to be put on a host. */
export type GuestOrder = z.infer<typeof guestSchema>;

/** `POST /nodes/:node/shell`. */
export const shellSchema = z.strictObject({
  command: z.tuple([z.enum(["qm", "pct"]), z.literal("unlock"), z.union([z.string(), z.number()])]),
});

/** `PUT /nodes/:node/forwards`: what the node's agent has in its packet filter. */
export const forwardsSchema = z.strictObject({
  forwards: z.array(
    z.strictObject({
      id: z.union([z.string(), z.number()]).optional(),
      protocol: z.enum(["tcp", "udp"]),
      publicPort: z.number().int().min(1).max(65_535),
      guestAddress: z.string(),
      guestPort: z.number().int().min(1).max(65_535),
    }),
  ),
});

/** A forward of a node. */
export type Forward = z.infer<typeof forwardsSchema>["forwards"][number];

const bytes = z.number().int().min(0).optional();

/** `POST /guests/:vmid`: what has gone through a guest, bytes. */
export const countersSchema = z.strictObject({ netin: bytes, netout: bytes, diskread: bytes, diskwrite: bytes });

/** `POST /backups`: an older archive of a guest. */
export const backupSchema = z.strictObject({
  type: guestType,
  vmid: z.number().int().min(100).max(999_999_999),
  node: z.string(),
  storage: z.string(),
  /** When it was made: seconds since the epoch, or a date. */
  time: z.union([z.number().int().min(0), z.iso.datetime({ offset: true })]),
  notes: z.string().optional(),
  protected: z.boolean().optional(),
});

/** `POST /consoles/:vmid`: what the guest's terminal shows next. */
export const consoleSchema = z.strictObject({ text: z.string() });
