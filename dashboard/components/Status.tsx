// Every status in one look: a coloured dot and the word, so that nobody depends on the colour.
import { statusText } from "../texts/terms.js";

type Color = "teal" | "yellow" | "blue" | "gray" | "red";

const COLORS: Readonly<Record<string, Color>> = {
  RUNNING: "teal",
  ONLINE: "teal",
  DONE: "teal",
  ACTIVE: "teal",
  PAUSED: "yellow",
  SUSPENDED: "yellow",
  DONE_WITH_WARNINGS: "yellow",
  STOPPING: "yellow",
  ROLLBACK: "yellow",
  HELD_UP: "yellow",
  MAINTENANCE: "yellow",
  QUEUED: "blue",
  WAITING: "gray",
  STOPPED: "gray",
  SKIPPED: "gray",
  UNKNOWN: "gray",
  EXPIRED: "gray",
  REVOKED: "gray",
  FAILED: "red",
  OFFLINE: "red",
  HOT: "red",
};
/** Work under way is not the same as a guest that runs. */
const WORK: Readonly<Record<string, Color>> = { ...COLORS, RUNNING: "blue", STOPPED: "yellow" };

interface Properties {
  readonly value: string;
  /** Left out: what the status is called everywhere. */
  readonly text?: string;
  /** Whether it is the status of work rather than of a thing. */
  readonly work?: boolean;
}

export const colorOfWork = (value: string): Color => WORK[value] ?? "gray";

export function Status({ value, text = statusText(value), work = false }: Properties) {
  const color = (work ? WORK : COLORS)[value.toUpperCase()] ?? "gray";
  return <span className={`status status-${color}`}>{text}</span>;
}
