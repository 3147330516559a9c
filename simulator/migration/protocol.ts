// Describes what the two ends of a migration tunnel say to each other.
import { z } from "zod";

/** A reply: success with whatever the command gives, or why it failed. */
export const replySchema = z.looseObject({ success: z.boolean(), msg: z.string().optional() });
export type TunnelReply = z.infer<typeof replySchema>;

/** One command as it is sent. */
export const commandSchema = z.looseObject({ cmd: z.string() });
export type TunnelCommand = z.infer<typeof commandSchema>;

/** What the source says on a forwarded socket while content goes over: how much has arrived, and that it was all. */
export const contentMessageSchema = z.union([
  /** `volid` says which volume a live mirror fills. */
  z.object({ received: z.number().int().min(0), volid: z.string().optional(), hasSystem: z.boolean().optional() }),
  /** `memoryBytes` is what the guest uses of the memory that has arrived. */
  z.object({
    end: z.number().int().min(0),
    seconds: z.number().min(0),
    hasSystem: z.boolean().optional(),
    memoryBytes: z.number().int().min(0).optional(),
  }),
]);
export type ContentMessage = z.infer<typeof contentMessageSchema>;

/** `disk-import`: an offline copy of one volume. */
export const diskImportSchema = z.looseObject({
  storage: z.string(),
  /** Format of the source's volume. */
  format: z.string(),
  volname: z.string(),
  with_snapshots: z.number(),
  export_formats: z.string(),
  /** Size of the volume in bytes; on a real tunnel it heads the stream. */
  size: z.number().int().min(0),
});
export type DiskImport = z.infer<typeof diskImportSchema>;

/** `disk`: a volume for a live mirror. */
export const diskSchema = z.looseObject({
  format: z.string(),
  storage: z.string(),
  drive: z.record(z.string(), z.string()),
});

/** `config`. */
export const configSchema = z.looseObject({ conf: z.string(), "firewall-config": z.string().nullish() });

/** `ticket`. */
export const ticketSchema = z.looseObject({ path: z.string() });

/** `bwlimit`, KiB/s. */
export const bandwidthSchema = z.looseObject({ bwlimit: z.number().min(0).nullish() });

/** `quit`. */
export const quitSchema = z.looseObject({ cleanup: z.number().optional() });

/** `start` of a VM. */
export const startSchema = z.looseObject({
  forcemachine: z.string(),
  /** Drive name → drive string on the target. */
  nbd: z.record(z.string(), z.string()),
});

/** Reads a message of the other end; text that is no JSON is as little a message as JSON of another shape. */
export function readJson<T>(schema: z.ZodType<T>, text: string): z.ZodSafeParseResult<T> {
  const json = z.string().transform((given, context): unknown => {
    try {
      return JSON.parse(given);
    } catch (error) {
      context.issues.push({ code: "custom", message: String(error), input: given });
      return z.NEVER;
    }
  });
  return json.pipe(schema).safeParse(text);
}
