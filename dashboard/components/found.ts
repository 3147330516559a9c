// What a select needs to ask the service as one types: a page of choices, how many more there are, and what was chosen before.
import type { ComboboxItem, ComboboxParsedItem, OptionsFilter } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useRef, useState } from "react";
import { texts } from "../texts/common.js";

const TYPING_PAUSE_MS = 200;
/** Value of the line that tells how many choices are not listed. */
const MORE = "more";

export interface Choice extends ComboboxItem {
  readonly value: string;
  readonly label: string;
}

/** An answer of the service. */
interface FindResult<Record> {
  /** The first of those that fit; undefined: not there yet. */
  readonly records: readonly Record[] | undefined;
  /** How many fit. */
  readonly total: number;
  /** Whether an answer is waited for. */
  readonly fetching: boolean;
}

/** How records of one kind are found and told. */
export interface Findable<Record> {
  /** Asks for the records that fit a text; a hook. */
  readonly useFound: (search: string | null, pause: boolean) => FindResult<Record>;
  readonly choiceOf: (record: Record) => Choice;
  /** Said when nothing fits. */
  readonly nothing: string;
}

interface Selection {
  /** Choices that are always there, such as "any". */
  readonly standing?: readonly Choice[];
  /** What is chosen, by name, also when no page that was read has it. */
  readonly chosen: readonly Choice[];
}

/** The properties of a searchable select over what the service finds. */
export function useFinder<Record>(kind: Findable<Record>, { standing = [], chosen }: Selection) {
  const [text, setText] = useState("");
  const [opened, setOpened] = useState(false);
  const known = useRef(new Map<string, Record>()).current;
  const named = chosen.map((choice) => nameKnown(choice, kind, known));
  const wanted = [...standing, ...named].some(({ label }) => label === text) ? "" : text.trim();
  const [settled] = useDebouncedValue(wanted, TYPING_PAUSE_MS);
  const { records, total, fetching } = kind.useFound(settled === "" ? null : settled, !opened);
  const last = useRef<readonly Choice[]>([]);
  const waiting = records === undefined || fetching || settled !== wanted;
  if (!waiting) last.current = records.map((record) => remembered(record, kind, known));
  // While an answer is waited for, what is there already is narrowed.
  const found = waiting ? last.current.filter((choice) => fits(choice, wanted)) : last.current;
  const offered = [...standing.filter((choice) => fits(choice, wanted)), ...found];
  const more = waiting ? 0 : total - found.length;
  const told = more > 0 ? [{ value: MORE, label: texts.select.more(more), disabled: true }] : [];
  return {
    searchable: true,
    data: unique([...offered, ...told, ...standing, ...named]),
    filter: only([...offered, ...told]),
    searchValue: text,
    onSearchChange: setText,
    onDropdownOpen: () => setOpened(true),
    onDropdownClose: () => setOpened(false),
    nothingFoundMessage: waiting ? texts.select.searching : kind.nothing,
    /** The record of a value that was offered. */
    recordOf: (value: string | null): Record | null => (value === null ? null : (known.get(value) ?? null)),
  };
}

function remembered<Record>(record: Record, kind: Findable<Record>, known: Map<string, Record>): Choice {
  const choice = kind.choiceOf(record);
  known.set(choice.value, record);
  return choice;
}

/** As it was found, where it was. */
function nameKnown<Record>(choice: Choice, kind: Findable<Record>, known: ReadonlyMap<string, Record>): Choice {
  const record = known.get(choice.value);
  return record === undefined ? choice : kind.choiceOf(record);
}

const fits = ({ label }: Choice, text: string): boolean => label.toLowerCase().includes(text.toLowerCase());

/** The first of each value, in their order. */
const unique = (choices: readonly Choice[]): Choice[] =>
  choices.filter(({ value }, place) => choices.findIndex((other) => other.value === value) === place);

/** What was chosen must be known to the select by name, and is listed only where it was found. */
const only = (offered: readonly Choice[]): OptionsFilter => {
  const values = new Set(offered.map(({ value }) => value));
  const isOffered = (option: ComboboxParsedItem): boolean => "value" in option && values.has(option.value);
  return ({ options }) => options.filter(isOffered);
};
