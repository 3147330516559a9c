// Learns what the recording's secrets, UPIDs, fingerprints and other made-up values are called in this replay.

/** One placeholder stands for every console ticket: it means the last one given. */
const consoleTicket = /(?:(?:<PASSWORD>|[\w-]{8}):)?PVEVNC:[0-9A-F]{8}::(?:TICKET|[A-Za-z0-9+/]{40,}=*)/g;

const learnable: readonly RegExp[] = [
  /vzdump-(?:qemu|lxc)-\d+-\d{4}_\d\d_\d\d-\d\d_\d\d_\d\d/g,
  /UPID:[a-zA-Z0-9-]+:[0-9A-Fa-f]{8}:[0-9A-Fa-f]{8,9}:[0-9A-Fa-f]{8}:[^:\s/]+:[^:\s/]*:[^:\s/']+:/g,
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g,
  /(?:[0-9A-F]{2}:){31}[0-9A-F]{2}/g,
  /(?:[0-9A-F]{2}:){5}[0-9A-F]{2}(?![:0-9A-F])/g,
  /PVE:[^\s:]+:[0-9A-F]{8}::\S+/g,
  consoleTicket,
  /\b[0-9A-F]{8}:(?:CSRF|[A-Za-z0-9+/]{40,}=*)/g,
  /\b[0-9a-f]{40}\b/g,
  /(?<=\bport=|[a-z\d]:)\d{4,5}\b/g,
];

/** Recorded values → this replay's values, in both directions. */
export class Placeholders {
  readonly #ours = new Map<string, string>();
  readonly #recorded = new Map<string, string>();

  /** States a pair that is known beforehand. */
  set(recorded: string, ours: string): void {
    if (recorded === ours) return;
    this.#ours.set(recorded, ours);
    this.#recorded.set(ours, recorded);
  }

  /** Pairs the values that two answers to the same request have in the same place. */
  learn(recorded: unknown, ours: unknown): void {
    if (typeof recorded === "string" && typeof ours === "string") this.#learnText(recorded, ours);
    else if (Array.isArray(recorded) && Array.isArray(ours)) this.#learnList(recorded, ours);
    else if (isObject(recorded) && isObject(ours)) {
      for (const [key, value] of Object.entries(recorded)) this.learn(value, ours[key]);
    }
  }

  /** This replay's value for a recorded one. */
  ours(recorded: string): string | undefined {
    return this.#ours.get(recorded);
  }

  /** The text with every recorded value replaced. */
  toOurs(text: string): string {
    return replaceAll(text, this.#ours);
  }

  /** The text with this replay's values replaced by the recorded ones, for comparing. */
  toRecorded(text: string): string {
    return replaceAll(text, this.#recorded);
  }

  #learnText(recorded: string, ours: string): void {
    for (const form of learnable) {
      const theirs = recorded.match(form) ?? [];
      const mine = ours.match(form) ?? [];
      for (const [index, value] of theirs.entries()) {
        const counterpart = mine[index];
        const isNew = !this.#ours.has(value) || form === consoleTicket;
        if (counterpart !== undefined && isNew) this.set(value, counterpart);
      }
    }
  }

  /** Logs are paired line by line where the texts fit, other lists only when they have one entry. */
  #learnList(recorded: unknown[], ours: unknown[]): void {
    const lines = [recorded, ours].map((list) => list.map(logText));
    const [theirs = [], mine = []] = lines;
    if (theirs.every((line) => line !== null) && mine.every((line) => line !== null)) {
      this.#learnText(onlyUpids(theirs), onlyUpids(mine));
    } else if (recorded.length === ours.length) this.#learnRows(recorded, ours);
  }

  /** Backups are paired in the order of their names, which is that of their making; other rows only where there is one. */
  #learnRows(recorded: unknown[], ours: unknown[]): void {
    const [theirs, mine] = [recorded, ours].map((rows) => rows.map(archiveOf).toSorted().join("\n"));
    this.#learnText(theirs ?? "", mine ?? "");
    if (recorded.length === 1) return this.learn(recorded[0], ours[0]);
    for (const row of recorded) {
      const counterparts = ours.filter((other) => withoutMadeUp(other) === withoutMadeUp(row));
      if (counterparts.length === 1) this.learn(row, counterparts[0]);
    }
  }
}

function logText(line: unknown): string | null {
  return isObject(line) && typeof line.t === "string" ? line.t : null;
}

/** A row without the values that every replay makes up anew. */
function withoutMadeUp(row: unknown): string {
  let text = JSON.stringify(isObject(row) ? Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1)) : row);
  for (const form of learnable) text = text.replace(form, "?");
  return text;
}

/** Name of the backup that a row is about, or nothing. */
function archiveOf(row: unknown): string {
  const volid = isObject(row) ? row.volid : undefined;
  return typeof volid === "string" && volid.includes("backup/vzdump-") ? volid : "";
}

function onlyUpids(lines: (string | null)[]): string {
  return lines.filter((line) => line?.includes("UPID:") === true || line?.includes("vzdump-") === true).join("\n");
}

function replaceAll(text: string, pairs: ReadonlyMap<string, string>): string {
  let replaced = text;
  for (const form of learnable) replaced = replaced.replace(form, (value) => pairs.get(value) ?? value);
  return replaced;
}

/** True for plain JSON objects. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
