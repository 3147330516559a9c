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
  const isPrivileged = type === GuestType.LXC && !isFlagOn(config, "unprivileged");
  const isRefused = configText(config, "startup") !== null || (isPrivileged && isAtLeast(targetVersion, "9.0"));
  return isRefused ? [...ALWAYS, MODIFY] : [...ALWAYS];
}

/** @returns whether the guest has tags: those that the target has registered need `Sys.Modify` as well. */
export const hasTags = (config: GuestConfig): boolean => (configText(config, "tags") ?? "") !== "";

/** @returns those of the privileges that the target's connection lacks; null: what it has is not known. */
export const missingPrivileges = (needed: readonly string[], held: ReadonlySet<string> | null): string[] =>
  held === null ? [] : needed.filter((name) => !held.has(name));

/** @returns whether the connection may not set tags that the target has registered. */
export const isTagRefusalPossible = (config: GuestConfig, held: ReadonlySet<string> | null): boolean =>
  hasTags(config) && held !== null && !held.has(MODIFY);
