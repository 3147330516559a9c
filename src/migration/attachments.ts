// Asks both hosts what they keep for a guest, and finds what of it the target will not have.
import {
  backupsOf,
  undefinedNames,
  type BackupJob,
  type Attachments,
  type FirewallNames,
} from "../core/migration/attachments.js";
import type { SubjectGrant } from "../hypervisor/access.js";
import type { GuestFirewall, HostFirewall } from "../hypervisor/firewall.js";
import type { GuestAddress } from "../hypervisor/guest.js";
import type { GuestConfig } from "../hypervisor/guestConfig.js";
import type { Hypervisor } from "../hypervisor/hypervisor.js";

/** What a host keeps for all its guests. */
export interface HostAttachments {
  readonly backupJobs: readonly BackupJob[];
  /** Null: not known. */
  readonly firewall: HostFirewall | null;
}

/** What a guest's host keeps for it. */
export interface GuestAttachments extends HostAttachments {
  readonly guest: GuestAddress;
  readonly pool: string | null;
  readonly access: readonly SubjectGrant[];
  /** Null: none of its cards is filtered. */
  readonly own: GuestFirewall | null;
}

export async function hostAttachments(hypervisor: Hypervisor): Promise<HostAttachments> {
  const [backupJobs, firewall] = await Promise.all([hypervisor.backupJobs(), hypervisor.hostFirewall()]);
  return { backupJobs, firewall };
}

export async function guestAttachments(
  hypervisor: Hypervisor,
  guest: GuestAddress,
  { cards }: GuestConfig,
): Promise<GuestAttachments> {
  const [ofHost, pool, access, own] = await Promise.all([
    hostAttachments(hypervisor),
    hypervisor.pool(guest),
    hypervisor.guestAccess(guest),
    cards.some(({ isFiltered }) => isFiltered) ? hypervisor.guestFirewall(guest) : null,
  ]);
  return { ...ofHost, guest, pool, access, own };
}

/** @param place of the guest on the target */
export function attachmentsOf(
  source: GuestAttachments,
  target: HostAttachments,
  place: { readonly vmid: number; readonly node: string },
): Attachments {
  const { own, pool, access, guest } = source;
  const isCovered = backupsOf(target.backupJobs, { ...place, pool: null }).length > 0;
  return {
    pool,
    backupJobs: isCovered ? [] : backupsOf(source.backupJobs, { ...guest, pool }),
    accessRules: access.map(({ role, subject }) => `${role} of ${subject}`),
    firewallNames: undefinedOn(target.firewall, own),
    firewallOff: isOff({ source: source.firewall, target: target.firewall }, own),
  };
}

function undefinedOn(target: HostFirewall | null, own: GuestFirewall | null): string[] | undefined {
  if (own === null) return [];
  return target === null ? undefined : undefinedNames(namesOf(own), target);
}

function isOff(
  { source, target }: { readonly source: HostFirewall | null; readonly target: HostFirewall | null },
  own: GuestFirewall | null,
): boolean | undefined {
  if (own?.options["enable"] !== "1" || source?.enabled === false || target?.enabled === true) return false;
  return source === null || target === null ? undefined : true;
}

const namesOf = ({ rules, aliases, sets }: GuestFirewall): FirewallNames => ({
  places: [
    ...rules.flatMap((rule) => [rule["source"] ?? [], rule["dest"] ?? []].flat()),
    ...sets.flatMap(({ entries }) => entries.map(({ cidr }) => cidr)),
  ],
  groups: rules.flatMap(({ type, action }) => (type === "group" && action !== undefined ? [action] : [])),
  ownAliases: aliases.map(({ name }) => name),
  ownSets: sets.map(({ name }) => name),
});
