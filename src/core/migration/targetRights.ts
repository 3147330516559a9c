// Says which rights on the target's root a move needs beside those on its VMID and storages.
import { GuestType } from "../enums.js";
import { configText, isFlagOn, type GuestConfig } from "../inventory/config.js";
import { isAtLeast } from "../version.js";

/** `Sys.Incoming` opens the tunnel. */
const ALWAYS = ["Sys.Audit", "Sys.Incoming"] as const;
/** Also for tags that the target has registered. */
export const MODIFY = "Sys.Modify";

/** @returns privileges without which the target refuses the guest, as a rule only after its disks were copied. */
export function rootPrivileges(type: GuestType, config: GuestConfig, targetVersion: string | null): string[] {
  return needsModify(type, config, targetVersion) === null ? [...ALWAYS] : [...ALWAYS, MODIFY];
}

/** @returns what of the guest only who has `Sys.Modify` may give to a new one; null: nothing. */
export function needsModify(type: GuestType, config: GuestConfig, version: string | null): string | null {
  if (type === GuestType.QEMU)
    return configText(config, "startup") === null ? null : "has a place in the order of startup";
  const isPrivileged = !isFlagOn(config, "unprivileged");
  return isPrivileged && isAtLeast(version, "9.0") ? "is a privileged container" : null;
}

/** @returns whether the guest has tags: those that the target has registered need `Sys.Modify` as well. */
export const hasTags = (config: GuestConfig): boolean => (configText(config, "tags") ?? "") !== "";

/** @returns those of the privileges that the target's connection lacks; null: what it has is not known. */
export const missingPrivileges = (needed: readonly string[], held: ReadonlySet<string> | null): string[] =>
  held === null ? [] : needed.filter((name) => !held.has(name));

/** @returns whether the connection may not set tags that the target has registered. */
export const isTagRefusalPossible = (config: GuestConfig, held: ReadonlySet<string> | null): boolean =>
  hasTags(config) && held !== null && !held.has(MODIFY);
