// Keeps what arrived on the Proxmox VE port, with secrets masked, for the control address.
import type { Parameters } from "./urlEncoding.js";

const kept = 10_000;
const mask = "********";
const secretNames = /^(?:password|cipassword|otp|new-password|ticket)$/i;

/** One arrived request; `status` is null while it is unanswered (and stays so when it was dropped). */
export interface JournalEntry {
  n: number;
  method: string;
  /** Decoded path below `/api2/json`. */
  path: string;
  /** Query and body parameters together, or null when they were never read. */
  form: Parameters | null;
  status: number | null;
}

/** The requests of one simulated host, numbered from 1. */
export class RequestJournal {
  readonly #entries: JournalEntry[] = [];
  #count = 0;

  /** How many requests have arrived since the host was started. */
  get count(): number {
    return this.#count;
  }

  /** Notes an arrival; what becomes known later is written into the entry. */
  add(method: string, path: string): JournalEntry {
    this.#count += 1;
    const entry: JournalEntry = { n: this.#count, method, path, form: null, status: null };
    this.#entries.push(entry);
    if (this.#entries.length > kept) this.#entries.shift();
    return entry;
  }

  /** Entries after number `since`, oldest first; the last 10,000 are kept. */
  since(since: number): JournalEntry[] {
    return this.#entries.filter((entry) => entry.n > since);
  }
}

/** The parameters without secrets: passwords, and the token inside a migration's target endpoint. */
export function maskSecrets(parameters: Parameters): Parameters {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, masked(name, value)]));
}

function masked(name: string, value: unknown): unknown {
  if (secretNames.test(name)) return mask;
  if (typeof value !== "string") return value;
  return value.replaceAll(/((?:apitoken=)?(?:PVEAPIToken[= ])?[^\s,=!]+@[^\s,=!]+![^\s,=!]+=)[^\s,]+/g, `$1${mask}`);
}
