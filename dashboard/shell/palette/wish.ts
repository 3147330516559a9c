// Decides what a text typed into the palette asks for: an action by its verb, records by a text, work by its number.

/** What can be done with a record from here, each found by any of its verbs. */
const VERBS = {
  evacuate: ["evacuate", "drain", "empty"],
  move: ["migrate", "move"],
  create: ["create", "new"],
} as const;

export type Verb = keyof typeof VERBS;
const ALL_VERBS: readonly Verb[] = ["evacuate", "move", "create"];

/** Fewer letters begin too many names. */
const LEAST_LETTERS = 3;

/** Kinds of numbered work, each found by any of its names. */
const WORK = {
  job: ["job"],
  migration: ["migration", "move"],
  evacuation: ["evacuation", "run"],
  balanceRun: ["balance", "run"],
} as const;

type Work = keyof typeof WORK;
const ALL_WORK: readonly Work[] = ["job", "migration", "evacuation", "balanceRun"];

const NUMBERED = /^(?:([a-z]+)\s+)?#?(\d{1,9})$/;

export interface Wish {
  /** As it was typed, in lower case. */
  readonly text: string;
  readonly verb: Verb | null;
  /** What records are searched by; empty: none are. */
  readonly search: string;
  /** Work with this number; null: none is meant. */
  readonly work: { readonly id: number; readonly kinds: readonly Work[] } | null;
}

export function wishOf(typed: string): Wish {
  const text = typed.trim().toLowerCase();
  const [first = "", ...others] = text.split(/\s+/);
  const verb = ALL_VERBS.find((each) => begins(first, VERBS[each])) ?? null;
  const rest = others.join(" ");
  return { text, verb, search: verb === null || rest === "" ? text : rest, work: workOf(text) };
}

const begins = (typed: string, words: readonly string[]): boolean =>
  typed.length >= LEAST_LETTERS && words.some((word) => word.startsWith(typed));

function workOf(text: string): Wish["work"] {
  const [, name, digits] = NUMBERED.exec(text) ?? [];
  if (digits === undefined) return null;
  const kinds = name === undefined ? ALL_WORK : ALL_WORK.filter((kind) => begins(name, WORK[kind]));
  return kinds.length === 0 ? null : { id: Number(digits), kinds };
}
