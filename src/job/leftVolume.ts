// The volume that a failed transfer left, as the journal of its job has it.
import { z } from "zod";

export const leftVolume = z.object({ volid: z.string(), createdAt: z.number().nullable() });

export type LeftVolume = z.infer<typeof leftVolume>;
