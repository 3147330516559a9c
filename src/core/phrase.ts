// Sentences that are said about thousands of subjects: the words are fixed, names and figures come from the subject.
import { written, type Scale } from "./units.js";

/** A sentence as a list of parts, so that it can be said as text or written as bytes, whichever is wanted. */
export type Phrase<Subject> = readonly Part<Subject>[];

/** Text stands for itself. */
export type Part<Subject> = string | Figure<Subject> | Name<Subject> | Choice<Subject>;

/** A number of the subject. */
export interface Figure<Subject> {
  readonly kind: "figure";
  readonly scale: Scale;
  of(subject: Subject): number;
}

/** A text of the subject. */
export interface Name<Subject> {
  readonly kind: "name";
  of(subject: Subject): string;
}

/** One of two phrases, as the subject is. */
interface Choice<Subject> {
  readonly kind: "choice";
  is(subject: Subject): boolean;
  readonly whenTrue: Phrase<Subject>;
  readonly otherwise: Phrase<Subject>;
}

/** Writes a phrase as a template, its parts in their places. */
export const phrase = <Subject>(words: TemplateStringsArray, ...parts: readonly Part<Subject>[]): Phrase<Subject> =>
  words.flatMap((word, index) => [word, ...parts.slice(index, index + 1)]);

export const figure = <Subject>(scale: Scale, of: (subject: Subject) => number): Figure<Subject> => ({
  kind: "figure",
  scale,
  of,
});

export const name = <Subject>(of: (subject: Subject) => string): Name<Subject> => ({ kind: "name", of });

export const choice = <Subject>(
  is: (subject: Subject) => boolean,
  whenTrue: Phrase<Subject>,
  otherwise: Phrase<Subject>,
): Choice<Subject> => ({ kind: "choice", is, whenTrue, otherwise });

/** @returns the same phrase with fewer parts: text beside text is one. */
export function joined<Subject>(parts: Phrase<Subject>): Phrase<Subject> {
  const fewer: Part<Subject>[] = [];
  for (const part of parts) {
    const last = fewer.at(-1);
    if (typeof part === "string" && typeof last === "string") fewer[fewer.length - 1] = last + part;
    else if (part !== "") fewer.push(part);
  }
  return fewer;
}

/** @returns the phrase about this subject. */
export function say<Subject>(parts: Phrase<Subject>, subject: Subject): string {
  let text = "";
  for (const part of parts) text += typeof part === "string" ? part : saidOf(part, subject);
  return text;
}

function saidOf<Subject>(part: Exclude<Part<Subject>, string>, subject: Subject): string {
  if (part.kind === "figure") return written(part.scale, part.of(subject));
  if (part.kind === "name") return part.of(subject);
  return say(part.is(subject) ? part.whenTrue : part.otherwise, subject);
}
