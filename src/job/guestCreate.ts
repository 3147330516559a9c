// What a creation stores.
import { z } from "zod";
import { creationInput } from "./creationInput.js";
import { jobFacts } from "./jobFacts.js";
import { boundSecrets, type Shape } from "./shape.js";

/** What every job that installs a guest finds. */
export const installFacts = jobFacts.extend({
  /** The platform object is complete and ours. */
  made: z.boolean().optional(),
  /** The guest on record, once it has the identity of what was made. */
  guestId: z.number().int().optional(),
  /** What of the image hid access or address from the guest, in words for people; missing: it was not asked, or nothing did. */
  hindrances: z.array(z.string()).readonly().optional(),
  /** What has the VMID was found to be another guest by now, or one that somebody else completed. */
  replaced: z.boolean().optional(),
});

export type InstallFacts = Readonly<z.infer<typeof installFacts>>;

const createFacts = installFacts.extend({
  /** Where the last check put the guest; the job's row names the same. */
  node: z.string().optional(),
  storage: z.string().optional(),
  /** The VMID in place of one that the host refused; the job's row names the same. */
  vmid: z.number().int().optional(),
});

export type CreateFacts = Readonly<z.infer<typeof createFacts>>;

export const guestCreate: Shape = {
  input: creationInput,
  facts: createFacts,
  upgrades: [(stored) => stored, boundSecrets],
};
