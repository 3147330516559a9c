// Opens what a job has stored as JSON: brings the shape of an earlier version forward, one version at a time, and validates the result.
import type { z } from "zod";

/** A JSON object as it lies in the database. */
export type Json = Readonly<Record<string, unknown>>;

/** What the row of a job stores as JSON. */
export interface StoredJson {
  /** What was asked for, frozen when the job was made. */
  readonly input: Json;
  /** What the job has found and done since. */
  readonly facts: Json;
}

/** What else the job's rows tell. */
export interface StoredRow {
  /** The guest in the inventory. */
  readonly guestId: number | null;
  /** Names of the steps that are done. */
  readonly stepsDone: readonly string[];
}

/** Brings a shape forward by one version; it asks nobody, and never throws for the shape that it is made for. */
export type Upgrade = (stored: StoredJson, row: StoredRow) => StoredJson;

/** The JSON stays as it is: beside it, secrets are sealed for the host that they go to, which earlier versions do not open. */
export const boundSecrets: Upgrade = (stored) => stored;

/** How the jobs of one kind store what they know. */
export interface Shape {
  readonly input: z.ZodObject;
  readonly facts: z.ZodObject;
  /** The first one reads version 0: everything stored before versions existed, distinguished by its properties. */
  readonly upgrades: readonly [Upgrade, ...Upgrade[]];
}

/** What is stored cannot be read; the message says what is wrong with it. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
}

/** The version that is written now. */
export const currentVersion = ({ upgrades }: Shape): number => upgrades.length;

/**
 * Reads what was stored under a version, as the current one. Facts that no version names are kept.
 * @throws Unreadable
 */
export function openShape(
  shape: Shape,
  {
    version,
    input,
    facts,
    ...row
  }: StoredRow & { readonly version: number; readonly input: unknown; readonly facts: unknown },
): StoredJson {
  if (version > currentVersion(shape)) throw new Unreadable(`it is of version ${version}`);
  const stored = { input: objectOf(input, "input"), facts: objectOf(facts, "facts") };
  const current = shape.upgrades.slice(version).reduce((before, upgrade) => upgrade(before, row), stored);
  return {
    input: validated(shape.input, current.input, "input"),
    facts: validated(shape.facts.loose(), current.facts, "facts"),
  };
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function objectOf(value: unknown, name: string): Json {
  if (isObject(value)) return value;
  throw new Unreadable(`${name} is no object`);
}

/** @returns the object `key` of another one, and whether there is one */
export function innerObject(json: Json, key: string): Json | null {
  const value = json[key];
  return isObject(value) ? value : null;
}

function validated(schema: z.ZodObject, value: Json, name: string): Json {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const faults = read.error.issues.map(({ path, message }) => `${[name, ...path].join(".")}: ${message}`);
  throw new Unreadable(faults.slice(0, MOST_FAULTS).join("; "));
}

/** The reason is for people. */
const MOST_FAULTS = 5;
