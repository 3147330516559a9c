// Asks what a host keeps for its guests as a whole: backup jobs, and what its firewall defines for theirs.
import { z } from "zod";
import type { BackupJob } from "../../core/migration/attachments.js";
import type { HostFirewall } from "../firewall.js";
import type { Ask } from "./client.js";
import { figureIn, figureOrNull } from "./figures.js";
import { flag, isTrue, listOf, text, textIn, textOrNull, understand } from "./parse.js";
import { NOTHING, unlessRefused } from "./refusedAnswer.js";

/** A list of VMIDs in one text. */
const vmids = z
  .unknown()
  .optional()
  .transform((value) => (textIn(value) ?? "").split(/[,;\s]+/).flatMap((part) => figureIn(part, "vmid") ?? []));

/** Jobs of 7.x that say nothing of it are on. */
const onUnlessSaid = z
  .unknown()
  .optional()
  .transform((value) => value === undefined || value === null || isTrue(value));

const jobsAnswer = listOf(
  z.object({
    id: text,
    enabled: onUnlessSaid,
    all: flag,
    vmid: vmids,
    exclude: vmids,
    pool: textOrNull,
    node: textOrNull,
  }),
);
const referencesAnswer = listOf(z.object({ type: text, name: text }));
const groupsAnswer = listOf(z.object({ group: text }));
const optionsAnswer = z.object({ enable: figureOrNull("count") }).nullish();

/** A host that does not tell them has none. */
export async function readBackupJobs(ask: Ask): Promise<readonly BackupJob[]> {
  const { data, source } = await unlessRefused(ask({ method: "GET", path: "/cluster/backup" }), () => NOTHING);
  return understand(jobsAnswer, data, source).map(({ vmid, exclude, ...job }) => ({
    ...job,
    vmids: vmid,
    excluded: exclude,
  }));
}

/** Null: the host does not tell. */
export function readHostFirewall(ask: Ask): Promise<HostFirewall | null> {
  return unlessRefused(told(ask), () => null);
}

async function told(ask: Ask): Promise<HostFirewall | null> {
  const [references, groups, options] = await Promise.all([
    ask({ method: "GET", path: "/cluster/firewall/refs" }),
    ask({ method: "GET", path: "/cluster/firewall/groups" }),
    ask({ method: "GET", path: "/cluster/firewall/options" }),
  ]);
  const names = understand(referencesAnswer, references.data, references.source);
  const ofType = (wanted: string): string[] => names.flatMap(({ type, name }) => (type === wanted ? [name] : []));
  return {
    enabled: (understand(optionsAnswer, options.data, options.source)?.enable ?? 0) > 0,
    groups: understand(groupsAnswer, groups.data, groups.source).map(({ group }) => group),
    aliases: ofType("alias"),
    sets: ofType("ipset"),
  };
}
