// Compiles phrases into JSON writers, which then write about thousands of subjects.
import { joined, type Figure, type Name, type Part, type Phrase } from "../core/phrase.js";
import type { JsonBytes } from "./jsonBytes.js";

/** Writes the JSON of one subject. */
type WriteJson<Subject> = (bytes: JsonBytes, subject: Subject) => void;

/** @returns the phrase as the inside of a JSON string; its names and figures are escaped where they are written. */
export const inJson = <Subject>(phrase: Phrase<Subject>): Phrase<Subject> =>
  phrase.map((part) => {
    if (typeof part === "string") return JSON.stringify(part).slice(1, -1);
    return part.kind === "choice"
      ? { ...part, whenTrue: inJson(part.whenTrue), otherwise: inJson(part.otherwise) }
      : part;
  });

/** A part of a phrase, ready to be written about any subject. */
type Step<Subject> =
  | { readonly kind: "text"; readonly text: Buffer }
  | Figure<Subject>
  | Name<Subject>
  | {
      readonly kind: "choice";
      is(subject: Subject): boolean;
      readonly whenTrue: WriteJson<Subject>;
      readonly otherwise: WriteJson<Subject>;
    };

/** @param phrase its text is JSON, and so is what it makes with its names and figures between */
export function jsonWriter<Subject>(phrase: Phrase<Subject>): WriteJson<Subject> {
  const steps = joined(phrase).map(stepOf);
  return (bytes, subject) => {
    for (const step of steps) {
      if (step.kind === "text") bytes.bytes(step.text);
      else if (step.kind === "figure") bytes.number(step.scale, step.of(subject));
      else if (step.kind === "name") bytes.text(step.of(subject));
      else if (step.is(subject)) step.whenTrue(bytes, subject);
      else step.otherwise(bytes, subject);
    }
  };
}

function stepOf<Subject>(part: Part<Subject>): Step<Subject> {
  if (typeof part === "string") return { kind: "text", text: Buffer.from(part) };
  if (part.kind !== "choice") return part;
  return { ...part, whenTrue: jsonWriter(part.whenTrue), otherwise: jsonWriter(part.otherwise) };
}
