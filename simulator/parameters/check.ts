// Checks values against a table of properties with exactly the refusals that Proxmox VE gives.
import { checkCpu } from "./cpuModels.js";
import { formats } from "./formats.js";
import { splitList } from "./lists.js";
import { propertyTable } from "./namedFormats.js";
import { FormatError, parsePropertyString } from "./propertyString.js";
import type { PropertyTable } from "./propertyTable.js";
import type { PropertySchema } from "./propertyTable.js";

/** Path of a value → what is wrong with it. */
type Complaints = Record<string, string>;

const unknownProperty = "property is not defined in schema and the schema does not allow additional properties";
const missingProperty = "property is missing and it is not optional";

/** What to check an object against. */
interface ObjectCheck {
  values: Readonly<Record<string, unknown>>;
  table: PropertyTable;
  /** Finds the schema of a name; differs where names are indexed. */
  lookup: (name: string) => PropertySchema | null;
  /** Prefix of the complaints, empty at top level. */
  path: string;
}

/** Checks the presence and values of all properties, and that no other is given. */
export function checkObject(check: ObjectCheck): Complaints {
  const complaints: Complaints = {};
  for (const name of Object.keys(check.table)) {
    const schema = check.table[name];
    if (schema === undefined || name.endsWith("[n]") || schema.alias !== undefined) continue;
    if (!isGiven(check.values[name]) && schema.optional !== 1)
      complain(complaints, join(check.path, name), missingProperty);
  }
  for (const [name, value] of Object.entries(check.values)) if (isGiven(value)) checkMember(check, name, complaints);
  return complaints;
}

function checkMember(check: ObjectCheck, name: string, complaints: Complaints): void {
  const path = join(check.path, name);
  const schema = check.lookup(name);
  if (schema === null) return complain(complaints, path, unknownProperty);
  const complaint = schema.alias === undefined ? checkValue(check.values[name], schema, path) : null;
  if (complaint !== null) complain(complaints, path, complaint);
  if (schema.requires !== undefined && !isGiven(check.values[schema.requires]))
    complain(complaints, join(check.path, schema.requires), `missing property required by '${path}'`);
}

/** Null when the value fits, else the complaint. */
function checkValue(value: unknown, schema: PropertySchema, path: string): string | null {
  const typeComplaint = checkType(value, schema.type ?? "any");
  if (typeComplaint !== null) return typeComplaint;
  const text = perlText(value);
  return (
    checkFormat(text, schema.format, path) ??
    checkPattern(text, schema) ??
    checkLimits(text, schema) ??
    checkEnum(text, schema)
  );
}

/** A JSON value as Perl turns it into text. */
export function perlText(value: unknown): string {
  if (typeof value === "boolean") return value ? "1" : "0";
  return typeof value === "string" ? value : String(value);
}

function checkType(value: unknown, type: string): string | null {
  if (typeof value === "boolean" && type !== "boolean" && type !== "any")
    return `type check ('${type}') failed - got JSON::PP::Boolean`;
  if (type === "array") return null;
  if (Array.isArray(value)) return `type check ('${type}') failed - got ARRAY`;
  if (typeof value === "object") return `type check ('${type}') failed - got HASH`;
  const text = perlText(value);
  return typeFits(text, type) ? null : `type check ('${type}') failed - got '${text}'`;
}

function typeFits(text: string, type: string): boolean {
  if (type === "boolean") return text === "1" || text === "0";
  if (type === "integer") return /^[+-]?\d+$/.test(text);
  return type !== "number" || isNumber(text);
}

function isNumber(text: string): boolean {
  return /^[+-]?(?:\d+\.\d+|\d+\.|\.\d+|\d+)(?:[eE][+-]?\d+)?$/.test(text);
}

function checkFormat(text: string, format: PropertySchema["format"], path: string): string | null {
  if (format === undefined) return null;
  const table = propertyTable(format);
  const complaint =
    table === null && typeof format === "string"
      ? checkNamed(text, format)
      : checkPropertyString(text, table ?? {}, path);
  return complaint === null ? null : `invalid format - ${complaint}\n`;
}

function checkNamed(text: string, format: string): string | null {
  const match = /^(.*?)(?:-(list|opt))?$/.exec(format);
  const check = formats[match?.[1] ?? ""];
  if (check === undefined) throw new Error(`undefined format '${format}'`);
  if (match?.[2] === "list")
    return (
      splitList(text)
        .map(check)
        .find((complaint) => complaint !== null) ?? null
    );
  return match?.[2] === "opt" && text === "" ? null : check(text);
}

function checkPropertyString(text: string, table: PropertyTable, path: string): string | null {
  try {
    const values = parsePropertyString(text, table);
    const complaints = checkObject({ values, table, lookup: (name) => table[name] ?? null, path });
    const lines = Object.entries(complaints).map(([where, complaint]) => `\n${where}: ${complaint}`);
    if (lines.length > 0) return `format error${lines.join("")}`;
    return table === propertyTable("pve-vm-cpu-conf") ? checkCpu(values) : null;
  } catch (error) {
    if (error instanceof FormatError) return error.message;
    throw error;
  }
}

const compiled = new Map<string, RegExp>();

function checkPattern(text: string, schema: PropertySchema): string | null {
  if (schema.pattern === undefined) return null;
  return perlPattern(schema.pattern).test(text) ? null : "value does not match the regex pattern";
}

/** Turns a Perl pattern of the tables into an anchored JavaScript one. */
function perlPattern(pattern: string): RegExp {
  let expression = compiled.get(pattern);
  if (expression === undefined) {
    const translated = pattern.replaceAll("(?^:", "(?:").replaceAll("{,", "{0,");
    expression = new RegExp(`^${translated}$`);
    compiled.set(pattern, expression);
  }
  return expression;
}

function checkLimits(text: string, schema: PropertySchema): string | null {
  const { minLength, maxLength, minimum, maximum } = schema;
  if (maxLength !== undefined && text.length > maxLength) return `value may only be ${maxLength} characters long`;
  if (minLength !== undefined && text.length < minLength) return `value must be at least ${minLength} characters long`;
  if (!isNumber(text)) return null;
  if (maximum !== undefined && Number(text) > Number(maximum)) return `value must have a maximum value of ${maximum}`;
  if (minimum !== undefined && Number(text) < Number(minimum)) return `value must have a minimum value of ${minimum}`;
  return null;
}

function checkEnum(text: string, schema: PropertySchema): string | null {
  if (schema.enum === undefined || schema.enum.includes(text)) return null;
  return `value '${text}' does not have a value in the enumeration '${schema.enum.join(", ")}'`;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** A second complaint about one value is joined by a literal backslash and n, as in Proxmox VE. */
function complain(complaints: Complaints, path: string, text: string): void {
  const earlier = complaints[path];
  complaints[path] = earlier === undefined ? text : `${earlier}\\n${text}`;
}
