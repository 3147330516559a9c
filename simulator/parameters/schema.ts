// Describes the parameter tables: what each method of each release accepts.
import type { Release } from "../version.js";
import release74 from "./7.4.json" with { type: "json" };
import release84 from "./8.4.json" with { type: "json" };
import release92 from "./9.2.json" with { type: "json" };
import { subjectTables } from "./tables.js";
import supplement from "./supplement.json" with { type: "json" };
import type { PropertySchema, PropertyTable } from "./propertyTable.js";

/** `VERB /path` → its parameters. */
type MethodTables = Record<string, PropertyTable>;

const tables: Record<Release, MethodTables> = {
  "7.4": release74,
  "8.4": release84,
  "9.2": release92,
};
const everyRelease: MethodTables = { ...supplement, ...subjectTables };

/** Numbers of slots behind an indexed name such as `net[n]`. */
const slots: Record<string, number> = {
  acmedomain: 6,
  dev: 256,
  hostpci: 16,
  ide: 4,
  ipconfig: 32,
  mp: 256,
  net: 32,
  numa: 8,
  parallel: 3,
  sata: 6,
  scsi: 31,
  serial: 4,
  unused: 256,
  usb: 14,
  virtio: 16,
  virtiofs: 10,
};

/** Parameters of a method, or null when the release does not have the method. */
export function methodTable(release: Release, method: string): PropertyTable | null {
  return tables[release][method] ?? everyRelease[method] ?? null;
}

/** What a parameter accepts, indexed names included; null when the method does not know it. */
export function propertySchema(table: PropertyTable, name: string): PropertySchema | null {
  const exact = table[name];
  if (exact !== undefined && !name.endsWith("[n]")) return exact;
  const match = /^(.*?[a-z])(0|[1-9]\d*)$/.exec(name);
  if (match === null) return null;
  const [, base = "", index = ""] = match;
  return Number(index) < (slots[base] ?? 0) ? (table[`${base}[n]`] ?? null) : null;
}
