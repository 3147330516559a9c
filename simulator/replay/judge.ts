// Compares an answer with the recorded one in status, error text, body shape, and values.
import {
  comparableLog,
  isUntrustedFigure,
  isVolatile,
  mayBeKept,
  mayBeMissing,
  mayDifferInType,
  withoutVolatileText,
} from "./distrust.js";
import type { Placeholders } from "./placeholders.js";
import { isObject } from "./placeholders.js";
import type { Exchange } from "./recording.js";
import type { Answer } from "./send.js";

/** In what an answer differs; empty lists where it agrees. */
export interface Verdict {
  status: string[];
  /** Reason phrase, `message` and `errors`. */
  text: string[];
  /** Content type, connection handling, keys, types, list entries. */
  shape: string[];
  values: string[];
}

/** True when status, error text and body shape agree, which is what counts. */
export function agrees(verdict: Verdict): boolean {
  return verdict.status.length + verdict.text.length + verdict.shape.length === 0;
}

/** Judges one answer. */
export function judge(recorded: Exchange, answer: Answer, placeholders: Placeholders): Verdict {
  const verdict: Verdict = { status: [], text: [], shape: [], values: [] };
  if (recorded.status !== answer.status) verdict.status.push(difference("status", recorded.status, answer.status));
  const texts = new Texts(placeholders);
  verdict.text.push(
    ...texts.compare("reason", recorded.reason, answer.reason),
    ...compareErrors(recorded, answer, texts),
  );
  compareHeaders(recorded, answer, verdict);
  if (recorded.first_frame !== undefined && (recorded.first_frame?.text ?? null) !== answer.frame)
    verdict.shape.push(difference("first frame", recorded.first_frame, answer.frame));
  new BodyComparison(verdict, texts).compare("body", dataOf(recorded.body), dataOf(answer.body));
  return verdict;
}

/** Compares texts after taking out what differs by nature. */
class Texts {
  constructor(private readonly placeholders: Placeholders) {}

  compare(place: string, recorded: string, ours: string): string[] {
    const [expected, got] = [this.plain(recorded), this.plain(this.placeholders.toRecorded(ours))];
    return expected === got ? [] : [difference(place, expected, got)];
  }

  plain(text: string): string {
    return withoutVolatileText(text);
  }

  ours(text: string): string {
    return this.plain(this.placeholders.toRecorded(text));
  }

  oursRaw(text: string): string {
    return this.placeholders.toRecorded(text);
  }
}

function compareErrors(recorded: Exchange, answer: Answer, texts: Texts): string[] {
  if (recorded.status < 400 && !isRefusal(recorded.body)) return [];
  if (!isObject(recorded.body) || !isObject(answer.body)) {
    return texts.compare("body", plainBody(recorded.body), plainBody(answer.body));
  }
  const differences = texts.compare("message", asText(recorded.body.message), asText(answer.body.message));
  const [expected, got] = [recorded.body.errors, answer.body.errors].map((errors) => (isObject(errors) ? errors : {}));
  for (const key of new Set([...Object.keys(expected ?? {}), ...Object.keys(got ?? {})])) {
    differences.push(...texts.compare(`errors.${key}`, asText(expected?.[key]), asText(got?.[key])));
  }
  return differences;
}

/** The extjs formatter answers 200 and says in the body that it failed. */
function isRefusal(body: unknown): boolean {
  return isObject(body) && body.success === 0;
}

function plainBody(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}

function asText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined ? "<none>" : JSON.stringify(value);
}

function compareHeaders(recorded: Exchange, answer: Answer, verdict: Verdict): void {
  const headers: [string, unknown, unknown][] = [
    ["content-type", recorded.headers["content-type"], answer.contentType],
    ["connection", recorded.headers.connection, answer.connection],
  ];
  for (const [name, expected, got] of headers) {
    if (name === "connection" && mayBeKept(recorded)) continue;
    if (asText(expected).toLowerCase() !== asText(got).toLowerCase()) {
      verdict.shape.push(difference(name, expected, got));
    }
  }
}

/** Without the parts that are judged as text. */
function dataOf(body: unknown): unknown {
  if (!isObject(body)) return typeof body === "string" ? "" : body;
  const kept = Object.entries(body).filter(([key]) => key !== "message" && key !== "errors");
  return Object.fromEntries(kept);
}

class BodyComparison {
  constructor(
    private readonly verdict: Verdict,
    private readonly texts: Texts,
  ) {}

  compare(place: string, recorded: unknown, ours: unknown): void {
    const [expected, got] = [typeOf(recorded), typeOf(ours)];
    if (expected !== got)
      this.verdict.shape.push(difference(place, `${expected} ${brief(recorded)}`, `${got} ${brief(ours)}`));
    else if (Array.isArray(recorded) && Array.isArray(ours)) this.#lists(place, recorded, ours);
    else if (isObject(recorded) && isObject(ours)) this.#objects(place, recorded, ours);
    else this.#values(place, recorded, ours);
  }

  #objects(place: string, recorded: Record<string, unknown>, ours: Record<string, unknown>): void {
    for (const key of Object.keys(ours)) {
      if (!(key in recorded) && !mayBeMissing(key))
        this.verdict.shape.push(`${place}.${key}: not expected, came ${brief(ours[key])}`);
    }
    for (const [key, value] of Object.entries(recorded)) {
      if (!(key in ours)) this.verdict.shape.push(`${place}.${key}: expected ${brief(value)}, missing`);
      else if (mayDifferInType(key)) continue;
      else if (!isVolatile(key, recorded)) this.compare(`${place}.${key}`, value, ours[key]);
      else this.#types(`${place}.${key}`, value, ours[key]);
    }
  }

  #types(place: string, recorded: unknown, ours: unknown): void {
    const [expected, got] = [typeOf(recorded), typeOf(ours)];
    if (expected !== got) this.verdict.shape.push(difference(place, expected, got));
    else if (isObject(recorded) && isObject(ours)) {
      const [wanted, came] = [recorded, ours].map((value) => Object.keys(value).toSorted().join(","));
      if (wanted !== came) this.verdict.shape.push(difference(place, wanted, came));
    }
  }

  #lists(place: string, recorded: unknown[], ours: unknown[]): void {
    const [expected, got] = [logLines(recorded), logLines(ours)];
    if (expected !== null && got !== null && recorded.length > 0) this.#logs(place, expected, got);
    else {
      const [theirs, mine] = [seriesOf(recorded), seriesOf(ours)];
      if (theirs !== null && mine !== null) this.#series(place, theirs, mine);
      else this.#sets(place, recorded, ours);
    }
  }

  /** Figures over time: what they stand for, and of what there are any; how many had been taken is the recorder's. */
  #series(place: string, recorded: Series, ours: Series): void {
    const [expected, got] = [recorded, ours].map(({ step, keys }) => `every ${step} s: ${keys}`);
    if (recorded.keys !== "" && ours.keys !== "" && expected !== got)
      this.verdict.shape.push(difference(place, expected, got));
    if (recorded.step !== ours.step) this.verdict.shape.push(difference(place, recorded.step, ours.step));
    // The end of the last period may fall between the two requests.
    if (Math.abs(recorded.length - ours.length) > 1)
      this.verdict.shape.push(difference(place, recorded.length, ours.length));
  }

  /** Lists have no order: entries are paired by what identifies them. */
  #sets(place: string, recorded: unknown[], ours: unknown[]): void {
    const left = new Map<string, unknown[]>();
    for (const entry of ours) {
      const key = identityOf(entry, (text) => this.texts.ours(text));
      left.set(key, [...(left.get(key) ?? []), entry]);
    }
    for (const entry of recorded) {
      const key = identityOf(entry, (text) => this.texts.plain(text));
      const counterpart = left.get(key)?.shift();
      if (counterpart === undefined) this.verdict.shape.push(`${place}[${key}]: expected, missing`);
      else this.compare(`${place}[${key}]`, entry, counterpart);
    }
    for (const [key, entries] of left) {
      if (entries.length > 0) this.verdict.shape.push(`${place}[${key}]: not expected (${entries.length})`);
    }
  }

  /** A log that was read while its task ran is compared as far as both go. */
  #logs(place: string, recorded: string[], ours: string[]): void {
    const expected = comparableLog(recorded);
    const got = comparableLog(ours.map((line) => this.texts.oursRaw(line)));
    const isComplete = expected.at(-1)?.startsWith("TASK ") === true;
    const length = isComplete ? Math.max(expected.length, got.length) : Math.min(expected.length, got.length);
    for (let line = 0; line < length; line += 1) {
      if (expected[line] === got[line]) continue;
      this.verdict.values.push(difference(`${place} line ${line + 1}`, expected[line], got[line]));
      return;
    }
  }

  #values(place: string, recorded: unknown, ours: unknown): void {
    if (isPointInTime(recorded) && isPointInTime(ours)) return;
    if (typeof recorded === "string" && typeof ours === "string") {
      const [expected, got] = [this.texts.plain(recorded), this.texts.ours(ours)].map(sortedOptions);
      if (expected !== got) this.verdict.values.push(difference(place, expected, got));
    } else if (recorded !== ours) this.verdict.values.push(difference(place, recorded, ours));
  }
}

/** Seconds since the epoch: requests give them relative to their own clock. */
function isPointInTime(value: unknown): boolean {
  return /^\d{10}$/.test(String(value));
}

/** Lists inside a value, such as storage contents, come in random order. */
function sortedOptions(text: string | undefined): string {
  return (text ?? "").split(",").toSorted().join(",");
}

const identifying = ["upid", "volid", "tokenid", "userid", "vmid", "id", "storage", "iface", "key", "name", "node"];

/** What pairs a list's entry with its counterpart. */
function identityOf(entry: unknown, plain: (text: string) => string): string {
  if (!isObject(entry)) return plain(JSON.stringify(entry));
  if ("ugid" in entry) return plain(["path", "ugid", "roleid"].map((key) => String(entry[key])).join(" "));
  const key = identifying.find((name) => name in entry);
  if (key === undefined) return "filename" in entry ? String(entry.filename) : "";
  return plain(`${key}=${String(entry[key])}`);
}

function logLines(list: unknown[]): string[] | null {
  const lines = list.map((entry) => (isObject(entry) && "n" in entry && typeof entry.t === "string" ? entry.t : null));
  return lines.every((line) => line !== null) ? lines : null;
}

interface Series {
  /** Seconds between two rows. */
  step: number;
  length: number;
  /** Names of all figures that any row has, sorted. */
  keys: string;
}

/** Rows with nothing but a time and numbers, or null. */
function seriesOf(list: unknown[]): Series | null {
  const rows = list.filter(isObject);
  const isSeries = rows.length > 1 && rows.length === list.length && rows.every((row) => typeof row.time === "number");
  if (!isSeries || rows.some((row) => "id" in row || "upid" in row)) return null;
  const [first, second] = rows.map((row) => Number(row.time));
  const keys = new Set(rows.flatMap(Object.keys).filter((key) => key !== "time" && !isUntrustedFigure(key)));
  return { step: (second ?? 0) - (first ?? 0), length: rows.length, keys: [...keys].toSorted().join(",") };
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}

function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

function difference(place: string, expected: unknown, got: unknown): string {
  return `${place}: expected ${brief(expected)}, came ${brief(got)}`;
}
