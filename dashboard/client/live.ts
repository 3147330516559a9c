// Keeps what is on screen fresh: a view names the kinds of records that it shows and is read again when they change.
import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { useEffect, useRef, useState } from "react";
import { useClient, useQuery, type AnyVariables, type CombinedError } from "urql";
import { ChangesDocument, type ChangeKind } from "../generated/documents.js";
import { codesOf } from "./client.js";
import { currentConnection, onConnection } from "./connection.js";

/** A view is read again at most this often, however much happens, milliseconds. */
const LEAST_PAUSE_MS = 1_000;
/** What takes long to be read, because there is much of it or the line is bad, is read again less often: so many times as long. */
const PAUSE_TIMES = 5;

const listeners = new Map<ChangeKind, Set<() => void>>();

function on(kind: ChangeKind, listener: () => void): () => void {
  const known = listeners.get(kind) ?? new Set();
  listeners.set(kind, known.add(listener));
  return () => known.delete(listener);
}

/** Listens to the service's news for all views; mounted once. */
export function useChanges(): void {
  const client = useClient();
  useEffect(() => {
    const news = client.subscription(ChangesDocument, {}).subscribe(({ data }) => {
      if (data === undefined) return;
      for (const listener of listeners.get(data.changes.kind) ?? []) listener();
    });
    return () => news.unsubscribe();
  }, [client]);
}

/** Calls back when records of the kind changed, for views that do not read them again by themselves. */
export function useNews(kind: ChangeKind, heard: () => void): void {
  const newest = useRef(heard);
  newest.current = heard;
  useEffect(() => on(kind, () => newest.current()), [kind]);
}

/** A view's data and how old it is. */
export interface Live<Data> {
  /** Undefined until the first answer; afterwards the last one that came, also while others are asked for. */
  readonly data: Data | undefined;
  readonly error: CombinedError | undefined;
  /** When the data was read, milliseconds since 1970. */
  readonly readAt: number | null;
  /** Reads it again now. */
  readonly refresh: () => void;
}

interface Question<Data, Variables extends AnyVariables> {
  readonly query: TypedDocumentNode<Data, Variables>;
  readonly variables: Variables;
  /** What the view shows. */
  readonly kinds: readonly ChangeKind[];
  readonly pause?: boolean;
  /** Whether an answer to other variables may stay until the new one is there, as when a page is turned. */
  readonly keep?: boolean;
}

/** Runs a query and repeats it whenever what it shows has changed or the connection came back. */
export function useLive<Data, Variables extends AnyVariables>(question: Question<Data, Variables>): Live<Data> {
  const { query, variables, kinds, pause = false, keep = true } = question;
  const [{ data, error, stale }, execute] = useQuery({ query, variables, pause });
  const asked = JSON.stringify(variables);
  const last = useRef<{ readonly data: Data; readonly asked: string } | null>(null);
  const [readAt, setReadAt] = useState<number | null>(null);
  const refresh = useRef(() => execute({ requestPolicy: "network-only" }));
  refresh.current = () => execute({ requestPolicy: "network-only" });

  useEffect(() => {
    // A refusal comes with null.
    if (data === undefined || data === null || stale) return;
    last.current = { data, asked };
    setReadAt(Date.now());
  }, [data, stale]);

  const timing = useRef({ asked: 0, took: 0 });
  useFresh({
    kinds,
    pause,
    again() {
      timing.current.asked = Date.now();
      refresh.current();
    },
    leastPause: () => timing.current.took * PAUSE_TIMES,
  });
  useEffect(() => {
    if (!stale && timing.current.asked > 0) timing.current = { asked: 0, took: Date.now() - timing.current.asked };
  }, [data, error, stale]);

  const stays = error === undefined ? keep : isOldAnswer(error, last.current, asked);
  const shown = data ?? (stays ? last.current?.data : undefined);
  return { data: shown, error, readAt, refresh: () => refresh.current() };
}

/** An answer to the same question stays beside the error that kept a newer one from coming, unless the record is gone. */
const isOldAnswer = (error: CombinedError, last: { readonly asked: string } | null, asked: string): boolean =>
  last?.asked === asked && !codesOf(error).includes("NOT_FOUND");

interface Freshness {
  /** What is shown. */
  readonly kinds: readonly ChangeKind[];
  readonly pause?: boolean;
  /** Reads it again. */
  readonly again: () => void;
  /** Milliseconds that must be between two readings; the least pause where it is less. */
  readonly leastPause?: () => number;
}

/** Calls back whenever what is shown has changed or the connection came back, and never too often. */
export function useFresh({ kinds, pause = false, again, leastPause = () => 0 }: Freshness): void {
  const newest = useRef({ again, leastPause });
  newest.current = { again, leastPause };
  const names = kinds.join();
  useEffect(() => {
    if (pause) return undefined;
    const calm = calmly(
      () => newest.current.again(),
      () => newest.current.leastPause(),
    );
    let before = currentConnection();
    const stops = [
      ...kinds.map((kind) => on(kind, calm.ask)),
      onConnection(() => {
        const now = currentConnection();
        if (now.epoch > before.epoch && (before.epoch > 0 || before.state === "lost")) calm.ask();
        before = now;
      }),
    ];
    return () => {
      calm.cancel();
      for (const stop of stops) stop();
    };
    // The kinds are compared by name: a list that is written anew with each rendering is the same list.
  }, [names, pause]);
}

/** Runs at once, then at most once a pause, and never forgets that it was asked. */
function calmly(run: () => void, leastPause: () => number): { readonly ask: () => void; readonly cancel: () => void } {
  let timer: number | undefined;
  let last = 0;
  return {
    ask() {
      if (timer !== undefined) return;
      const wait = Math.max(0, last + Math.max(LEAST_PAUSE_MS, leastPause()) - Date.now());
      timer = window.setTimeout(() => {
        timer = undefined;
        last = Date.now();
        run();
      }, wait);
    },
    cancel: () => window.clearTimeout(timer),
  };
}
