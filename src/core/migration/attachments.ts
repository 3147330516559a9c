// Finds what a host keeps for a guest beside its configuration: that does not go along when the guest moves to another host.

/** A backup job of a host. */
export interface BackupJob {
  readonly id: string;
  readonly enabled: boolean;
  /** Takes in every guest but the excluded ones. */
  readonly all: boolean;
  readonly vmids: readonly number[];
  readonly excluded: readonly number[];
  /** Takes in the guests of this pool; null: of none. */
  readonly pool: string | null;
  /** Runs for the guests of this node only; null: of any. */
  readonly node: string | null;
}

/** The guest as a backup job looks at it. */
interface BackedUpGuest {
  readonly vmid: number;
  readonly node: string;
  readonly pool: string | null;
}

/** @returns ids of the jobs that back the guest up. */
export const backupsOf = (jobs: readonly BackupJob[], guest: BackedUpGuest): string[] =>
  jobs.filter((job) => job.enabled && isOnNode(job, guest) && takesIn(job, guest)).map(({ id }) => id);

const isOnNode = ({ node }: BackupJob, guest: BackedUpGuest): boolean => node === null || node === guest.node;

const takesIn = ({ all, vmids, excluded, pool }: BackupJob, guest: BackedUpGuest): boolean =>
  all
    ? !excluded.includes(guest.vmid)
    : vmids.includes(guest.vmid) || (pool !== null && pool === guest.pool && !excluded.includes(guest.vmid));

/** What a guest's firewall names, and what it defines itself. */
export interface FirewallNames {
  /** Sources and destinations of its rules, and entries of its sets: addresses among them. */
  readonly places: readonly string[];
  readonly groups: readonly string[];
  readonly ownAliases: readonly string[];
  readonly ownSets: readonly string[];
}

/** What a host defines for the firewalls of all its guests. */
export interface FirewallDefinitions {
  readonly groups: readonly string[];
  readonly aliases: readonly string[];
  readonly sets: readonly string[];
}

const SET = /^\+(?:guest\/|dc\/|sdn\/)?([A-Za-z][\w-]+)$/;
const ALIAS = /^(?:guest\/|dc\/)?([A-Za-z][\w-]+)$/;

/** @returns what the firewall names and neither itself nor the host defines, each once. */
export function undefinedNames(names: FirewallNames, host: FirewallDefinitions): string[] {
  const sets = new Set([...names.ownSets, ...host.sets]);
  const aliases = new Set([...names.ownAliases, ...host.aliases].map((name) => name.toLowerCase()));
  const missing = [
    ...names.groups.filter((group) => !host.groups.includes(group)).map((group) => `security group ${group}`),
    ...found(names.places, SET)
      .filter((name) => !sets.has(name))
      .map((name) => `IP set ${name}`),
    ...found(names.places, ALIAS)
      .filter((name) => !aliases.has(name.toLowerCase()))
      .map((name) => `alias ${name}`),
  ];
  return [...new Set(missing)];
}

const found = (places: readonly string[], pattern: RegExp): string[] =>
  places.flatMap((place) => pattern.exec(place)?.[1] ?? []);

/** What belongs to a guest on its host and is not on the target; empty lists and null are no loss. */
export interface Attachments {
  readonly pool: string | null;
  /** Backup jobs of the source, if none of the target takes in the guest. */
  readonly backupJobs: readonly string[];
  /** Access rules of the guest itself, in words. */
  readonly accessRules: readonly string[];
  /** What its firewall names and the target does not define, in words; undefined: the target does not tell what it defines. */
  readonly firewallNames: readonly string[] | undefined;
  /** Whether its firewall is in force on the source, and the target's is off as a whole; undefined: one of them does not tell. */
  readonly firewallOff: boolean | undefined;
}
