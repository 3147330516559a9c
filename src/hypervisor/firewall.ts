// A guest's own firewall: what the platform keeps for it, and forgets together with it.
import { isDeepStrictEqual } from "node:util";
import type { FirewallDefinitions } from "../core/migration/attachments.js";

/** A name for an address or network. */
export interface FirewallAlias {
  readonly name: string;
  readonly cidr: string;
  readonly comment: string | null;
}

/** An address, network or alias of a set; `excluded`: it is not of the set although another entry holds it. */
export interface FirewallSetEntry {
  readonly cidr: string;
  readonly excluded: boolean;
  readonly comment: string | null;
}

export interface FirewallSet {
  readonly name: string;
  readonly comment: string | null;
  readonly entries: readonly FirewallSetEntry[];
}

/** The parts of a rule by the platform's names: `type`, `action`, `enable`, `source`, `dport`, … */
type FirewallRule = Readonly<Record<string, string>>;

export interface GuestFirewall {
  /** Those that are set, as the platform writes them. */
  readonly options: Readonly<Record<string, string>>;
  /** By name. */
  readonly aliases: readonly FirewallAlias[];
  /** By name; their entries by address. */
  readonly sets: readonly FirewallSet[];
  /** The first that matches decides; those that are switched off count: somebody wrote them. */
  readonly rules: readonly FirewallRule[];
  /** What the platform finds wrong with rules that it has: it would not take them again. */
  readonly complaints: readonly string[];
}

/** What a host's firewall defines for those of all its guests. */
export interface HostFirewall extends FirewallDefinitions {
  /** While it is off none of its guests' is in force. */
  readonly enabled: boolean;
}

/** @returns whether both filter alike; what is wrong with their rules does not count. */
export function isSameFirewall(left: GuestFirewall, right: GuestFirewall): boolean {
  return isDeepStrictEqual({ ...left, complaints: [] }, { ...right, complaints: [] });
}
