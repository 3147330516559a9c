// Requested fields of a placement → its JSON, as bytes: a large fleet's nodes are named and explained without an object for each.
import type { GraphQLResolveInfo } from "graphql";
import { figure, name, type Phrase } from "../core/phrase.js";
import type { Explanation } from "../core/placement/explain.js";
import type { DroppedNode, RankedNode, Ranking } from "../core/placement/place.js";
import type { ScoredNode } from "../core/placement/score.js";
import { COUNT, MILLIONTHS } from "../core/units.js";
import { JsonBytes } from "../json/jsonBytes.js";
import { inJson, jsonWriter } from "../json/jsonPhrase.js";
import { JsonText } from "../json/jsonText.js";
import { requestedFields, type RequestedField } from "./selection.js";

/** @returns the requested fields of the placement, under the names that the client gave them. */
export function placementText({ ranked, dropped, explanation }: Ranking, info: GraphQLResolveInfo): JsonText {
  const rankedFields = fieldsOfRanked(explanation);
  const bytes = new JsonBytes();
  let before = "{";
  for (const { name: field, responseKey, fields } of requestedFields(info)) {
    bytes.raw(`${before}${JSON.stringify(responseKey)}:`);
    if (field === "dropped") writeList(bytes, dropped, record(FIELDS_OF_DROPPED, fields));
    else if (field === "ranked") writeList(bytes, ranked, record(rankedFields, fields));
    else writeFirst(bytes, ranked, record(rankedFields, fields));
    before = ",";
  }
  bytes.raw("}");
  return new JsonText(bytes.pieces());
}

const quoted = <Subject>(...phrase: Phrase<Subject>): Phrase<Subject> => ['"', ...inJson(phrase), '"'];

const fieldsOfRanked = (explanation: Explanation): Readonly<Record<keyof RankedNode, Phrase<ScoredNode>>> => ({
  hostId: [figure(COUNT, ({ node }) => node.host.id)],
  node: quoted(name(({ node }) => node.name)),
  storage: quoted(name(({ storage }) => storage.name)),
  score: [figure(MILLIONTHS, ({ score }) => score)],
  ramScore: [figure(MILLIONTHS, ({ ramScore }) => ramScore)],
  cpuScore: [figure(MILLIONTHS, ({ cpuScore }) => cpuScore)],
  storageScore: [figure(MILLIONTHS, ({ storageScore }) => storageScore)],
  guestCount: [figure(COUNT, ({ node }) => node.guestCount)],
  explanation: quoted(...explanation),
});

const FIELDS_OF_DROPPED: Readonly<Record<keyof DroppedNode, Phrase<DroppedNode>>> = {
  hostId: [figure(COUNT, ({ hostId }) => hostId)],
  node: quoted(name(({ node }) => node)),
  code: quoted(name(({ code }) => code)),
  reason: quoted(name(({ reason }) => reason)),
};

/** @throws Error for a field that no record has */
function record<Subject>(
  known: Readonly<Record<string, Phrase<Subject>>>,
  fields: readonly RequestedField[],
): Phrase<Subject> {
  const members = fields.flatMap(({ name: field, responseKey }, index): Phrase<Subject> => {
    const value = known[field];
    if (value === undefined) throw new Error(`A placement's nodes have no field ${field}`);
    return [`${index === 0 ? "" : ","}${JSON.stringify(responseKey)}:`, ...value];
  });
  return ["{", ...members, "}"];
}

function writeList<Subject>(bytes: JsonBytes, subjects: readonly Subject[], one: Phrase<Subject>): void {
  let write = jsonWriter(["[", ...one]);
  const writeNext = jsonWriter([",", ...one]);
  for (const subject of subjects) {
    write(bytes, subject);
    write = writeNext;
  }
  bytes.raw(subjects.length === 0 ? "[]" : "]");
}

function writeFirst<Subject>(bytes: JsonBytes, [first]: readonly Subject[], one: Phrase<Subject>): void {
  if (first === undefined) bytes.raw("null");
  else jsonWriter(one)(bytes, first);
}
