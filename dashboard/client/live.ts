// Keeps what is on screen fresh: a view names the kinds of records that it shows and is read again when they change.
import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { useEffect, useRef, useState } from "react";
import { useClient, useQuery, type AnyVariables, type CombinedError } from "urql";
import { ChangesDocument, type ChangeKind } from "../generated/documents.js";
import { codesOf } from "./client.js";
import { currentConnection, onConnection } from "./connection.js";
import { onReturn, pacedRefresh } from "./refresh.js";

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
  const [{ data, error, stale, fetching }, execute] = useQuery({ query, variables, pause });
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

  const isReading = stale || fetching;
  const answer = useAnswer(isReading, [data, error]);
  useFresh({
    kinds,
    pause,
    async again(instead) {
      // To ask again ends the reading that is under way: where news come faster than answers, there would never be an answer.
      if (answer.isAwaited() && !instead) await answer.next();
      refresh.current();
      await answer.next();
    },
  });

  const stays = error === undefined ? keep : isOldAnswer(error, last.current, asked);
  const shown = data ?? (stays ? last.current?.data : undefined);
  return { data: shown, error, readAt, refresh: () => refresh.current() };
}

interface Answers {
  /** Whether a reading is under way. */
  readonly isAwaited: () => boolean;
  /** Resolves when a reading has been answered. */
  readonly next: () => Promise<void>;
}

/** @param what of the answer: it changes with each */
function useAnswer(isReading: boolean, what: readonly unknown[]): Answers {
  const reading = useRef(isReading);
  reading.current = isReading;
  const waiting = useRef<(() => void)[]>([]);
  useEffect(() => {
    if (!isReading) for (const resolve of waiting.current.splice(0)) resolve();
  }, [isReading, ...what]);
  return {
    isAwaited: () => reading.current,
    next: () => new Promise((resolve) => waiting.current.push(resolve)),
  };
}

/** An answer to the same question stays beside the error that kept a newer one from coming, unless the record is gone. */
const isOldAnswer = (error: CombinedError, last: { readonly asked: string } | null, asked: string): boolean =>
  last?.asked === asked && !codesOf(error).includes("NOT_FOUND");

interface Freshness {
  /** What is shown. */
  readonly kinds: readonly ChangeKind[];
  readonly pause?: boolean;
  /** Reads it again, `instead` of a reading that is under way or after it; resolves when the answer is there, whatever it is. */
  readonly again: (instead: boolean) => Promise<void>;
}

/** Calls back whenever what is shown has changed or the connection came back, and never too often. */
export function useFresh({ kinds, pause = false, again }: Freshness): void {
  const newest = useRef(again);
  newest.current = again;
  const names = kinds.join();
  useEffect(() => {
    if (pause) return undefined;
    const refresh = pacedRefresh((instead) => newest.current(instead));
    let before = currentConnection();
    const stops = [
      ...kinds.map((kind) => on(kind, refresh.ask)),
      onConnection(() => {
        const now = currentConnection();
        if (now.epoch > before.epoch && (before.epoch > 0 || before.state === "lost")) refresh.askAfterLoss();
        before = now;
      }),
      onReturn(refresh.hurry),
    ];
    return () => {
      refresh.cancel();
      for (const stop of stops) stop();
    };
    // The kinds are compared by name: a list that is written anew with each rendering is the same list.
  }, [names, pause]);
}
