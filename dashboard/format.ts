// Writes figures and moments for people: binary units, short durations, one way of saying each thing everywhere.
import dayjs from "dayjs";
import duration from "dayjs/plugin/duration";
import { texts } from "./texts/format.js";

dayjs.extend(duration);

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"] as const;
const STEP = 1024;
/** A figure and its unit stay on one line. */
const GAP = "\u00a0";

/** `1.5 GiB`; a dash when unknown. */
export function bytes(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  let figure = value;
  let unit = 0;
  for (; figure >= STEP && unit < UNITS.length - 1; unit += 1) figure /= STEP;
  const digits = unit === 0 || figure >= 100 ? 0 : 1;
  return `${trimmed(figure, digits)}${GAP}${UNITS[unit]}`;
}

/** Made once: making one takes longer than writing a hundred figures. */
const WRITERS = [0, 1].map(
  (digits) => new Intl.NumberFormat("en", { maximumFractionDigits: digits, useGrouping: false }),
);

const trimmed = (figure: number, digits: 0 | 1): string => WRITERS[digits]?.format(figure) ?? String(figure);

export const mebibytes = (value: number | null | undefined): string =>
  bytes(value === null || value === undefined ? value : value * STEP * STEP);

export const gibibytes = (value: number): string => `${trimmed(value, 1)}${GAP}GiB`;

/** `83 %` of a fraction 0..1; a dash when unknown. */
export const percent = (fraction: number | null | undefined): string =>
  fraction === null || fraction === undefined ? "–" : `${trimmed(fraction * 100, fraction < 0.1 ? 1 : 0)}${GAP}%`;

/** The parts of a duration that are not nothing, largest first: `3 d`, `4 h`. */
function partsOf(seconds: number): string[] {
  const time = dayjs.duration(Math.round(seconds), "seconds");
  const parts: [number, string][] = [
    [Math.floor(time.asDays()), "d"],
    [time.hours(), "h"],
    [time.minutes(), "min"],
    [time.seconds(), "s"],
  ];
  const first = parts.findIndex(([figure]) => figure > 0);
  if (first === -1) return ["0 s"];
  const largest = parts.slice(first, first + 2).filter(([figure]) => figure > 0);
  return largest.map(([figure, unit]) => `${figure}${GAP}${unit}`);
}

/** `3 d 4 h`, `2 min 5 s`: the two largest parts. */
export const span = (seconds: number | null | undefined): string =>
  seconds === null || seconds === undefined ? "–" : partsOf(seconds).join(" ");

/** The moment in the viewer's time zone, `2026-11-21 14:03:12`, where the zone is told otherwise. */
export const dayAndTime = (value: string | number): string => dayjs(value).format("YYYY-MM-DD HH:mm:ss");

/** The whole moment with how far the viewer's clock was from UTC then, `2026-11-21 14:03:12 UTC+01:00`. */
export const wholeMoment = (value: string | number): string => dayjs(value).format("YYYY-MM-DD HH:mm:ss [UTC]Z");

/** `14:03:12` today, with the day otherwise. */
export function moment(value: string | number): string {
  const at = dayjs(value);
  return at.isSame(dayjs(), "day") ? at.format("HH:mm:ss") : at.format("YYYY-MM-DD HH:mm");
}

/** Seconds of an age are told in these steps: a page full of running clocks is no calm page. */
const STEP_SECONDS = 10;

/** `just now`, `20 s ago`, `3 min ago`, `in 2 d`: short, so that a table's column is never too narrow. */
export function ago(value: string | number, now: number): string {
  const seconds = dayjs(now).diff(value, "seconds", true);
  if (Math.abs(seconds) < STEP_SECONDS) return texts.justNow;
  const stepped = Math.floor(Math.abs(seconds) / STEP_SECONDS) * STEP_SECONDS;
  const [largest = ""] = partsOf(stepped);
  return seconds < 0 ? texts.ahead(largest) : texts.ago(largest);
}

/** `2,001`: the digits of a large figure in groups. */
export const grouped = (value: number): string => value.toLocaleString("en");

/** `192.0.2.10:8006`, `[2001:db8::10]:8006`. */
export const endpoint = (address: string, port: number): string =>
  address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;

/** `1 guest`, `2 guests`; of an irregular noun its plural is given. */
export const count = (many: number, noun: string, plural = `${noun}s`): string =>
  `${grouped(many)} ${many === 1 ? noun : plural}`;

/** As many names as a question has room for. */
const NAMES_TOLD = 20;

/** `a, b, c`; of a long list the beginning and how many more there are. */
export function some(names: readonly string[]): string {
  const told = names.slice(0, NAMES_TOLD).join(", ");
  return names.length > NAMES_TOLD ? texts.andMore(told, grouped(names.length - NAMES_TOLD)) : told;
}
