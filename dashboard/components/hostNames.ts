// Knows hosts by name: most records carry only their ids. Names are asked for as they are shown, many at once.
import { useMemo, useRef, useSyncExternalStore } from "react";
import { useClient, type Client } from "urql";
import { useFresh } from "../client/live.js";
import { HostNamesDocument } from "../generated/documents.js";
import { texts } from "../texts/common.js";

/** As many as the service tells on a page. */
const ASKED_AT_ONCE = 200;

type Names = ReadonlyMap<number, string>;

/** The names that a session has read. */
class NameBook {
  readonly #client: Client;
  readonly #wanted = new Set<number>();
  readonly #asked = new Set<number>();
  readonly #listeners = new Set<() => void>();
  #names: Names = new Map();
  /** What will be asked at the end of the present task; null: nothing yet. */
  #asking: Promise<void> | null = null;

  constructor(client: Client) {
    this.#client = client;
  }

  readonly names = (): Names => this.#names;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Called while a page is rendered: asks for what has no name yet, once, after all of the page has said what it needs. */
  need(id: number): void {
    if (!this.#asked.has(id)) void this.want([id]);
  }

  /** Resolves when the answers are there. */
  want(ids: Iterable<number>): Promise<void> {
    this.#asking ??= Promise.resolve().then(() => this.#askAll());
    for (const id of ids) {
      this.#wanted.add(id);
      this.#asked.add(id);
    }
    return this.#asking;
  }

  async #askAll(): Promise<void> {
    const ids = [...this.#wanted];
    this.#wanted.clear();
    this.#asking = null;
    const firsts = ids.flatMap((_, place) => (place % ASKED_AT_ONCE === 0 ? [place] : []));
    await Promise.all(firsts.map((first) => this.#ask(ids.slice(first, first + ASKED_AT_ONCE))));
  }

  /** What cannot be read now is asked for again with the next news. */
  async #ask(ids: number[]): Promise<void> {
    const asked = this.#client.query(HostNamesDocument, { ids }, { requestPolicy: "network-only" });
    const { data } = await asked.toPromise();
    const changed = data?.hosts.items.filter(({ id, name }) => this.#names.get(id) !== name) ?? [];
    if (changed.length === 0) return;
    this.#names = new Map([...this.#names, ...changed.map(({ id, name }) => [id, name] as const)]);
    for (const listener of this.#listeners) listener();
  }
}

const books = new WeakMap<Client, NameBook>();

function bookOf(client: Client): NameBook {
  const book = books.get(client) ?? new NameBook(client);
  books.set(client, book);
  return book;
}

export interface HostNames {
  /** Its name, or its number while the name is not there; a dash of none. */
  readonly nameOf: (hostId: number | null | undefined) => string;
}

export function useHostNames(): HostNames {
  const book = bookOf(useClient());
  const names = useSyncExternalStore(book.subscribe, book.names);
  const shown = useRef(new Set<number>()).current;
  useFresh({ kinds: ["HOST"], again: () => (shown.size > 0 ? book.want(shown) : Promise.resolve()) });
  return useMemo(() => {
    const nameOf: HostNames["nameOf"] = (hostId) => {
      if (hostId === null || hostId === undefined) return "–";
      shown.add(hostId);
      book.need(hostId);
      return names.get(hostId) ?? texts.hostNumber(hostId);
    };
    return { nameOf };
  }, [book, names, shown]);
}
