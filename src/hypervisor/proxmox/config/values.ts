// Answers simple questions about a guest's configuration as Proxmox VE returns it.
import { GuestType } from "../../../core/enums.js";
import { configuredFigure } from "../figures.js";
import { nameIn } from "../parse.js";
import { isOn, parseProperties } from "./propertyString.js";

/** A guest's configuration: text or numbers by key; `lxc` alone is a list of raw lines. */
export type ConfigValues = Readonly<Record<string, unknown>>;

/** Proxmox VE's own default for a guest without `memory`, in MiB. */
const DEFAULT_MEMORY_MB = 512;

/** @returns the value of a key as text; null when it is missing or no single value. */
export function configText(config: ConfigValues, key: string): string | null {
  const value = config[key];
  if (typeof value === "string") return value;
  return typeof value === "number" ? String(value) : null;
}

/** One for all: to make a collator takes longer than to read a configuration. */
const IN_ORDER = new Intl.Collator("en", { numeric: true });

/** @returns the keys that match, in numeric order (`net2` before `net10`), with their text. */
export function configEntries(config: ConfigValues, pattern: RegExp): [key: string, text: string][] {
  return Object.keys(config)
    .filter((key) => pattern.test(key))
    .toSorted(IN_ORDER.compare)
    .flatMap((key) => {
      const text = configText(config, key);
      return text === null ? [] : [[key, text] as [string, string]];
    });
}

/** @returns the tags of a guest; Proxmox VE writes them with `;` and reads `,` and blanks as well. */
export const parseTags = (text: string | null): string[] =>
  (text ?? "").split(/[;,\s]+/).filter((tag) => nameIn(tag) !== null);

/** @returns configured memory in MiB: a number up to 7.x, text or `current=<MiB>,…` since. */
export function memoryMb(config: ConfigValues): number {
  const properties = parseProperties(configText(config, "memory") ?? "", "current");
  return configuredFigure(leadingInteger(properties.get("current") ?? "") ?? DEFAULT_MEMORY_MB, "ramMib");
}

/** @returns configured virtual CPUs; null for a container without a limit, which may use all of its node's. */
export function cores(type: GuestType, config: ConfigValues): number | null {
  const configured = leadingInteger(configText(config, "cores") ?? "");
  if (type === GuestType.LXC) return configured === null ? null : configuredFigure(configured, "cores");
  const sockets = leadingInteger(configText(config, "sockets") ?? "") ?? 1;
  return configuredFigure(leadingInteger(configText(config, "vcpus") ?? "") ?? sockets * (configured ?? 1), "cores");
}

/** @returns whether a key of the configuration is a boolean that is on. */
export const isFlagOn = (config: ConfigValues, key: string): boolean => isOn(configText(config, key) ?? undefined);

function leadingInteger(text: string): number | null {
  const digits = /^\s*(\d+)/.exec(text)?.[1];
  return digits === undefined ? null : Number(digits);
}
