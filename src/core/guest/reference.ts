// Reads the references by which callers name templates, IP zones and template files.
import { positiveInteger } from "../integer.js";

/** Where a guest's address comes from: the network's DHCP, or the next free address of an IP zone. */
type IpSource = { readonly kind: "dhcp" } | { readonly kind: "zone"; readonly zoneId: number };

/** A container template file on a storage, such as `local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst`. */
interface TemplateFile {
  readonly storage: string;
  readonly fileName: string;
}

const TEMPLATE_FILE = /^([a-z][a-z0-9\-_.]*[a-z0-9]):vztmpl\/([^/\s]+\.tar(?:\.(?:gz|xz|zst|bz2))?)$/i;

/** @returns the id in `tpl:<id>`, else null. */
export const parseTemplateReference = (text: string): number | null => idAfter("tpl:", text);

/** @returns the source that `dhcp`, `zone:<id>` or nothing (dhcp) names, else null. */
export function parseIpSource(text: string | null | undefined): IpSource | null {
  if (text === null || text === undefined || text === "dhcp") return { kind: "dhcp" };
  const zoneId = idAfter("zone:", text);
  return zoneId === null ? null : { kind: "zone", zoneId };
}

/** @returns the storage and file of a container template's volume id, else null. */
export function parseTemplateFile(volumeId: string): TemplateFile | null {
  const [, storage, fileName] = TEMPLATE_FILE.exec(volumeId) ?? [];
  return storage && fileName ? { storage, fileName } : null;
}

const ARCHITECTURE = /_(amd64|arm64|riscv64)\.tar(?:\.\w+)?$/;

/** @returns the architecture that a template's file is for, by its name; null when that does not say. */
export const architectureOfFile = (volumeId: string): string | null => ARCHITECTURE.exec(volumeId)?.[1] ?? null;

const idAfter = (prefix: string, text: string): number | null =>
  text.startsWith(prefix) ? positiveInteger(text.slice(prefix.length)) : null;
