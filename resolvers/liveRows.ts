// Makes the source of a subscription: rows that are read anew whenever the database announces a change.
import { TOPICS, type Topic } from "../src/events.js";
import type { Context } from "../src/context.js";
import type { Row } from "../src/reads/read.js";
import { ChangedIds } from "./changedIds.js";

/** What each topic means for the records that are followed. */
export type Hearing = Partial<Record<Topic, (id: number, changed: ChangedIds) => void>>;

/**
 * Listens from the moment it is called until the subscriber goes; `rows` reads what is to be sent.
 * A generator alone would not do: it cannot be ended while it waits.
 */
export function liveRows(
  context: Context,
  hearing: Hearing,
  rows: (changed: ChangedIds) => AsyncGenerator<Row, void>,
): AsyncIterableIterator<Row> {
  const changed = new ChangedIds();
  const listeners = topicsOf(hearing).map(([topic, heard]) => context.events.on(topic, (id) => heard(id, changed)));
  const stop = (): void => {
    for (const unsubscribe of listeners) unsubscribe();
    changed.close();
  };
  const source = rows(changed);
  return {
    async next() {
      try {
        const result = await source.next();
        if (result.done === true) stop();
        return result;
      } catch (error) {
        stop();
        throw error;
      }
    },
    async return() {
      stop();
      return source.return();
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

type Heard = (id: number, changed: ChangedIds) => void;

function topicsOf(hearing: Hearing): [Topic, Heard][] {
  return TOPICS.flatMap((topic): [Topic, Heard][] => {
    const heard = hearing[topic];
    return heard === undefined ? [] : [[topic, heard]];
  });
}
