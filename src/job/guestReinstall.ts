// What a reinstallation stores.
import { z } from "zod";
import { GuestType } from "../core/enums.js";
import { reinstallationInput } from "./creationInput.js";
import { installFacts } from "./guestCreate.js";
import { boundSecrets, innerObject, type Shape, type StoredJson, type StoredRow } from "./shape.js";

const texts = z.record(z.string(), z.string()).readonly();
const comment = z.string().nullable();

const firewallSet = z.object({
  name: z.string(),
  comment,
  entries: z.array(z.object({ cidr: z.string(), excluded: z.boolean(), comment })).readonly(),
});

const firewall = z.object({
  options: texts,
  aliases: z.array(z.object({ name: z.string(), cidr: z.string(), comment })).readonly(),
  sets: z.array(firewallSet).readonly(),
  rules: z.array(texts).readonly(),
  complaints: z.array(z.string()).readonly(),
});

const accessRule = z.object({
  path: z.string(),
  role: z.string(),
  propagate: z.boolean(),
  kind: z.enum(["user", "group", "token"]),
  subject: z.string(),
});

/** Everything that the new guest gets from the old one; recorded before the old one is touched. */
const keptGuest = z.object({
  guest: z.object({ type: z.enum(GuestType), node: z.string(), vmid: z.number().int() }),
  /** Of its boot disk or root file system. */
  storage: z.string(),
  /** Null: none. */
  pool: z.string().nullable(),
  /** Of its boot disk or root file system, GiB. */
  diskGb: z.number(),
  /** MiB; missing in jobs of earlier versions: then what the inventory has on record counts. */
  memoryMb: z.number().optional(),
  /** Settings that stay, as the platform writes them. */
  settings: texts,
  /**
   * What earlier versions did not record, null when one of them examined the guest: asked of the platform while the old guest is
   * there, lost with it as it was then.
   */
  guards: z
    .object({
      /** Means nothing for a machine. */
      containerRights: z.object({ unprivileged: z.boolean(), nesting: z.boolean() }),
      firewall,
      /** What others may do with it: rules of its own. */
      access: z.array(accessRule).readonly(),
    })
    .nullable(),
});

export type KeptGuest = Readonly<z.infer<typeof keptGuest>>;

const reinstallFacts = installFacts.extend({
  kept: keptGuest.optional(),
  /** Of the template's disks besides the system disk; missing in jobs of earlier versions, which reserved nothing for them. */
  furtherDiskBytes: z.number().int().optional(),
  /** The old guest is gone from the platform. */
  destroyed: z.boolean().optional(),
});

export type ReinstallFacts = Readonly<z.infer<typeof reinstallFacts>>;

export const guestReinstall: Shape = {
  input: reinstallationInput,
  facts: reinstallFacts,
  upgrades: [fromUnversioned, boundSecrets],
};

/** The first releases did not note that the guest was recorded. They recorded no pool, then neither rights, firewall nor access rules, later all of them one by one. */
function fromUnversioned({ input, facts: found }: StoredJson, { guestId, stepsDone }: StoredRow): StoredJson {
  const facts = stepsDone.includes("record") && guestId !== null ? { guestId, ...found } : found;
  const kept = innerObject(facts, "kept");
  if (kept === null) return { input, facts };
  const { pool = null, containerRights, firewall: rules, access, ...rest } = kept;
  const isComplete = containerRights !== undefined && rules !== undefined && access !== undefined;
  const guards = isComplete ? { containerRights, firewall: rules, access } : null;
  return { input, facts: { ...facts, kept: { ...rest, pool, guards } } };
}
