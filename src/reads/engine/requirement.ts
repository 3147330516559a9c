// Refuses a read for a record that does not exist, so that an empty list differs from the list of an unknown host.
import type { Viewer } from "../../access/viewer.js";
import type { Context } from "../../context/context.js";
import type { DroverError } from "../../errors/errors.js";
import { readJson } from "./json.js";
import { Parameters } from "./statement.js";

/** Records that must be there and visible to the viewer; checked in the statement that reads the list. */
export interface Requirement {
  /** SQL of the first that is not there, as text; null when all are. */
  missing(viewer: Viewer, parameters: Parameters): string;
  /** What is said of it. */
  refusal(missing: string): DroverError;
}

/** One record that must be there. */
interface OneRequired {
  /** SQL that holds when it is there. */
  exists(viewer: Viewer, parameters: Parameters): string;
  /** What is said when it is not. */
  refusal(): DroverError;
}

/** @returns the requirement of a single record. */
export const oneRequired = (required: OneRequired): Requirement => ({
  refusal: () => required.refusal(),
  missing: (viewer, parameters) => `case when not ${required.exists(viewer, parameters)} then '' end`,
});

/** What each requirement misses, in their order; null: there were none. */
export type Missing = readonly (string | null)[] | null;

/** SQL of {@link Missing}. */
export const missingSql = (requirements: readonly Requirement[], viewer: Viewer, parameters: Parameters): string =>
  requirements.length === 0
    ? "null"
    : `json_build_array(${requirements.map((each) => each.missing(viewer, parameters)).join(", ")})`;

/** @throws DroverError the refusal of the first requirement that is not met */
export function refuseMissing(requirements: readonly Requirement[], missing: Missing): void {
  for (const [place, requirement] of requirements.entries()) {
    const first = missing?.[place] ?? null;
    if (first !== null) throw requirement.refusal(first);
  }
}

/** Checks by a statement of its own: for when there is no list to read. @throws DroverError the first refusal */
export async function requireAll(context: Context, requirements: readonly Requirement[]): Promise<void> {
  if (requirements.length === 0) return;
  const { viewer } = context;
  const parameters = new Parameters();
  const sql = `select json_build_object('missing', ${missingSql(requirements, viewer, parameters)})::text as json`;
  const values = parameters.values({ viewer, now: context.clock.now(), variables: {} });
  const { missing } = await readJson<{ missing: Missing }>(context, sql, values);
  refuseMissing(requirements, missing);
}
