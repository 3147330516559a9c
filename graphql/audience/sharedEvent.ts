// One event of a subscription, executed and serialised once for all its subscribers.
import { MessageType } from "graphql-ws";

interface Happened {
  /** Counts up within an audience. */
  readonly number: number;
  /** The record, or what stands for it: a later event of the same takes the place of this one. */
  readonly recordId: number;
  /** The round of reading that it comes from: who joined during that one or later is told what a later one finds. */
  readonly round: number;
  /** False: it is for those alone who have not been told anything. */
  readonly isNews: boolean;
  /** The result of the execution, JSON. */
  readonly payload: string;
}

export class SharedEvent {
  #id: string | null = null;
  #message = Buffer.alloc(0);

  constructor(readonly happened: Happened) {}

  /** As a message to who chose this id. One after the other with the same id are sent the same bytes: many clients count from 1. */
  messageFor(id: string): Buffer {
    if (id !== this.#id) {
      const { payload } = this.happened;
      this.#message = Buffer.from(`{"id":${JSON.stringify(id)},"type":"${MessageType.Next}","payload":${payload}}`);
      this.#id = id;
    }
    return this.#message;
  }
}
