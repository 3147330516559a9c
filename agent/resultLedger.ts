// Keeps the results of finished jobs across restarts: until the service has them, and then long enough to recognise repeated jobs.
import { join } from "node:path";
import { isObject, isText, messageOf } from "./check.js";
import { readIfThere, replaceFile } from "./files.js";
import type { JobResult } from "./protocol.js";

interface Entry {
  readonly result: JobResult;
  readonly finishedAt: number;
  reported: boolean;
  attempts: number;
}

/** Jobs have deadlines of minutes: after a day no repeat can come. */
const KEPT_MS = 24 * 60 * 60 * 1000;
const KEPT_ENTRIES = 2_000;
const SENT_AT_ONCE = 100;

export class ResultLedger {
  readonly #entries = new Map<string, Entry>();
  #lastWrite: Promise<void> = Promise.resolve();
  #nextWrite: Promise<void> | null = null;
  #problem: string | null = null;

  private constructor(private readonly path: string | null) {}

  /** Opens the ledger of a state directory, or one in memory. An unreadable file is a problem, not an end. */
  static async open(stateDirectory: string | undefined): Promise<ResultLedger> {
    const ledger = new ResultLedger(stateDirectory === undefined ? null : join(stateDirectory, "results.json"));
    await ledger.#load();
    return ledger;
  }

  /** Why results would not survive a restart, or null. */
  get problem(): string | null {
    return this.#problem;
  }

  find(id: string): JobResult | null {
    return this.#entries.get(id)?.result ?? null;
  }

  /** Keeps a result and resolves when it is on disk (or the failure to write it is noted as the problem). */
  async record(result: JobResult): Promise<void> {
    this.#entries.delete(result.id);
    this.#entries.set(result.id, { result, finishedAt: Date.now(), reported: false, attempts: 0 });
    await this.#save();
  }

  /** The service asked for a finished job again: its result did not arrive. */
  reportAgain(id: string): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) entry.reported = false;
  }

  /** What is to be sent now, oldest first, at most a hundred. */
  takeUnreported(): JobResult[] {
    const unreported = [...this.#entries.values()].filter((entry) => !entry.reported).slice(0, SENT_AT_ONCE);
    for (const entry of unreported) entry.attempts += 1;
    return unreported.map((entry) => entry.result);
  }

  /** Whether a result waits that was never sent ("new"), only such as were sent before ("repeated"), or none. */
  waiting(): "new" | "repeated" | "none" {
    const unreported = [...this.#entries.values()].filter((entry) => !entry.reported);
    if (unreported.length === 0) return "none";
    return unreported.some((entry) => entry.attempts === 0) ? "new" : "repeated";
  }

  /** The service has these. */
  async acknowledge(results: readonly JobResult[]): Promise<void> {
    if (results.length === 0) return;
    for (const { id } of results) {
      const entry = this.#entries.get(id);
      if (entry !== undefined) entry.reported = true;
    }
    await this.#save();
  }

  async #load(): Promise<void> {
    if (this.path === null) return;
    try {
      const saved: unknown = JSON.parse((await readIfThere(this.path)) ?? "[]");
      for (const entry of Array.isArray(saved) ? saved.map(parseEntry) : []) {
        if (entry !== null) this.#entries.set(entry.result.id, entry);
      }
    } catch (error) {
      this.#problem = `${this.path} cannot be read: ${messageOf(error)}`;
    }
  }

  /** Resolves when everything known now is on disk; calls while a write is under way share the next one. */
  #save(): Promise<void> {
    this.#forget();
    this.#nextWrite ??= this.#lastWrite.then(() => {
      this.#nextWrite = null;
      this.#lastWrite = this.#write();
      return this.#lastWrite;
    });
    return this.#nextWrite;
  }

  async #write(): Promise<void> {
    if (this.path === null) return;
    const saved = [...this.#entries.values()].map(({ result, finishedAt, reported }) => ({
      ...result,
      finishedAt,
      reported,
    }));
    try {
      await replaceFile(this.path, JSON.stringify(saved));
      this.#problem = null;
    } catch (error) {
      this.#problem = `${this.path} cannot be written: ${messageOf(error)}`;
    }
  }

  #forget(): void {
    const oldest = Date.now() - KEPT_MS;
    let surplus = this.#entries.size - KEPT_ENTRIES;
    for (const [id, entry] of this.#entries) {
      if (entry.finishedAt < oldest || surplus > 0) this.#entries.delete(id);
      surplus -= 1;
    }
  }
}

function parseEntry(saved: unknown): Entry | null {
  if (!isObject(saved) || !isText(saved["id"])) return null;
  const { id, status, error, data, finishedAt, reported } = saved;
  if (!isText(id) || (status !== "done" && status !== "failed") || typeof finishedAt !== "number") return null;
  const result = { id, status, error: isText(error) ? error : null, data: isObject(data) ? data : {} } as const;
  return { result, finishedAt, reported: reported === true, attempts: 0 };
}
