// Reads and writes property strings such as `virtio=BC:24:11:00:00:01,bridge=vmbr0`.
import { formatSize, parseSize } from "./sizes.js";
import type { PropertyTable } from "./propertyTable.js";
import type { PropertySchema } from "./propertyTable.js";

/** Thrown when a text cannot be taken apart into keys and values. */
export class FormatError extends Error {}

/** Keys and their values as text. */
export type Properties = Record<string, string>;

/**
 * Takes a property string apart; aliases are resolved, booleans become `1` and `0`.
 * @throws FormatError for repeated or missing keys
 */
export function parsePropertyString(text: string, table: PropertyTable): Properties {
  const properties: Properties = {};
  let defaultKey: string | null = null;
  for (const part of text.split(",")) {
    if (/^\s*$/.test(part)) continue;
    const match = /^([^=]+)=(.+)$/s.exec(part);
    if (match !== null) {
      assign({ key: match[1] ?? "", value: match[2] ?? "" }, table, properties);
    } else if (!part.includes("=")) {
      defaultKey = assignDefault(part, { table, properties, defaultKey });
    } else {
      throw new FormatError("missing key in comma-separated list property");
    }
  }
  return properties;
}

function assign(given: { key: string; value: string }, table: PropertyTable, properties: Properties): void {
  let { key } = given;
  if (properties[key] !== undefined) throw new FormatError(`duplicate key in comma-separated list property: ${key}`);
  let schema = table[key];
  if (schema?.alias !== undefined) {
    if (schema.keyAlias !== undefined) {
      if (properties[schema.keyAlias] !== undefined)
        throw new FormatError(`key alias '${schema.keyAlias}' is already defined`);
      properties[schema.keyAlias] = key;
    }
    key = schema.alias;
    schema = table[key];
    if (properties[key] !== undefined) throw new FormatError(`key '${key}' is already defined (via alias)`);
  }
  // An unknown key is kept here; the check of the finished object complains about it.
  properties[key] = schema === undefined ? given.value : normalized(given.value, schema);
}

function assignDefault(
  part: string,
  state: { table: PropertyTable; properties: Properties; defaultKey: string | null },
): string {
  const { table, properties } = state;
  if (state.defaultKey !== null)
    throw new FormatError(`duplicate key in comma-separated list property: ${state.defaultKey}`);
  const entry = Object.entries(table).find(([, schema]) => schema.default_key === 1);
  if (entry === undefined) throw new FormatError("value without key, but schema does not define a default key");
  const [key, schema] = entry;
  const present = properties[key];
  if (present !== undefined && present !== "" && present !== "0")
    throw new FormatError(`duplicate key in comma-separated list property: ${key}`);
  properties[key] = normalized(part, schema);
  return key;
}

/** `on`, `yes`, `true` become `1` where a boolean is expected. */
function normalized(value: string, schema: PropertySchema): string {
  if (schema.type !== "boolean") return value;
  if (/^(?:1|on|yes|true)$/i.test(value)) return "1";
  return /^(?:0|off|no|false)$/i.test(value) ? "0" : value;
}

/** Writes a property string in Proxmox VE's order: default key, required keys, the others by name. */
export function printPropertyString(properties: Properties, table: PropertyTable): string {
  const { defaultKey, combined } = keyRoles(table);
  const names = Object.keys(properties).toSorted();
  const required = names.filter((name) => table[name] !== undefined && table[name].optional !== 1);
  const order = new Set([...(defaultKey === null ? [] : [defaultKey]), ...required, ...names]);
  const parts: string[] = [];
  const done = new Set<string>();
  for (const key of order) {
    const value = properties[key];
    if (value === undefined || done.has(key)) continue;
    const partner = combined.get(key);
    const partnerValue = partner === undefined ? undefined : properties[partner];
    if (partner !== undefined && partnerValue !== undefined) {
      done.add(partner);
      parts.push(`${printed(value, table[key])}=${printed(partnerValue, table[partner])}`);
    } else {
      parts.push(key === defaultKey ? printed(value, table[key]) : `${key}=${printed(value, table[key])}`);
    }
  }
  return parts.join(",");
}

/** The key that needs no name, and pairs written `value=partner`, as `virtio=MAC` for model and address. */
function keyRoles(table: PropertyTable): { defaultKey: string | null; combined: Map<string, string> } {
  const combined = new Map<string, string>();
  let defaultKey: string | null = null;
  for (const [key, schema] of Object.entries(table)) {
    if (schema.default_key === 1) defaultKey = key;
    if (schema.keyAlias !== undefined && schema.alias !== undefined) combined.set(schema.keyAlias, schema.alias);
  }
  return { defaultKey, combined };
}

function printed(value: string, schema: PropertySchema | undefined): string {
  if (schema?.format !== "disk-size") return value;
  const bytes = parseSize(value);
  return bytes === null ? value : formatSize(bytes);
}
