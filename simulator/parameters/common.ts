// Gives the parameters that many methods share.
import type { PropertyTable } from "./propertyTable.js";
import type { PropertySchema } from "./propertyTable.js";

export const node: PropertySchema = { type: "string", format: "pve-node" };
export const vmid: PropertySchema = { type: "integer", format: "pve-vmid", minimum: 100, maximum: 999_999_999 };
export const storage: PropertySchema = { type: "string", format: "pve-storage-id" };
export const digest: PropertySchema = { type: "string", optional: 1, maxLength: 64 };
export const flag: PropertySchema = { type: "boolean", optional: 1 };
export const text: PropertySchema = { type: "string", optional: 1 };

/** What the methods of a guest have in their paths. */
export const guest: PropertyTable = { node, vmid };

/** The same parameter, not needed. */
export const optional = (schema: PropertySchema): PropertySchema => ({ ...schema, optional: 1 });

/** The same methods for both guest types. */
export function forBoth(tables: Readonly<Record<string, PropertyTable>>): Record<string, PropertyTable> {
  const entries = Object.entries(tables).flatMap(([method, table]) =>
    ["qemu", "lxc"].map((type) => [method.replace("{type}", type), table] as const),
  );
  return Object.fromEntries(entries);
}
