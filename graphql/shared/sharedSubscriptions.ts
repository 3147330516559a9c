// Finds or begins the shared subscription for a question: same document, operation, variables and visibility.
import { randomUUID } from "node:crypto";
import {
  createSourceEventStream,
  execute,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
} from "graphql";
import { callerOf } from "../../src/access/admission/caller.js";
import { visibilityKey } from "../../src/access/visibility.js";
import type { Viewer } from "../../src/access/viewer.js";
import type { Context, Services } from "../../src/context/context.js";
import { DroverError } from "../../src/errors/errors.js";
import { LiveSource } from "../../src/events/liveSource.js";
import { Tally } from "../socketQuota.js";
import { SharedSubscription } from "./sharedSubscription.js";
import type { Outlet, Subscriber } from "./subscriber.js";

/** A valid operation, and its viewer. */
export interface SubscribedOperation extends Pick<ExecutionArgs, "operationName" | "variableValues"> {
  /** The same object for the same text: else it is another question. */
  readonly document: DocumentNode;
  readonly viewer: Viewer;
  readonly sourceIp: string;
}

/** Different subscriptions that one caller may have begun: each reads for itself what its viewer sees change. */
const MOST_OF_CALLER = 500;

/** A shared subscription, or the errors of the operation. */
type Opened = SharedSubscription | ExecutionResult;

export class SharedSubscriptions {
  readonly #schema: GraphQLSchema;
  readonly #services: Services;
  /** By document, then by everything else that makes questions the same. */
  readonly #opened = new WeakMap<DocumentNode, Map<string, Promise<Opened>>>();

  readonly #ofCaller = new Tally();

  constructor(schema: GraphQLSchema, services: Services) {
    this.#schema = schema;
    this.#services = services;
  }

  /**
   * @returns a stream of results, or the errors of the operation when it is refused
   * @throws DroverError `rateLimited` when the caller has too many different subscriptions
   */
  async subscribe(question: SubscribedOperation, outlet: Outlet): Promise<Subscriber | ExecutionResult> {
    for (;;) {
      const opened = await this.#open(question);
      if (!(opened instanceof SharedSubscription)) return opened;
      const subscriber = await opened.join(outlet);
      // The record ended at this moment: the next attempt reads how it ended, or that it is gone.
      if (subscriber !== null) return subscriber;
    }
  }

  #open(question: SubscribedOperation): Promise<Opened> {
    const { document, operationName, variableValues, viewer } = question;
    const ofDocument = this.#opened.get(document) ?? new Map<string, Promise<Opened>>();
    this.#opened.set(document, ofDocument);
    const key = JSON.stringify([operationName, variableValues, visibilityKey(viewer)]);
    const present = ofDocument.get(key);
    if (present !== undefined) return present;
    const giveBack = this.#countOf(question);
    const begun = this.#begin(question, () => {
      ofDocument.delete(key);
      giveBack();
    });
    ofDocument.set(key, begun);
    return begun;
  }

  /** @returns what ends the count; calling it again does nothing. @throws DroverError */
  #countOf({ viewer, sourceIp }: SubscribedOperation): () => void {
    const { key } = callerOf(viewer, sourceIp);
    if (!this.#ofCaller.take(key, MOST_OF_CALLER)) {
      throw new DroverError("rateLimited", `At most ${MOST_OF_CALLER} different subscriptions of a caller may be open`);
    }
    let isCounted = true;
    return () => {
      if (isCounted) this.#ofCaller.giveBack(key);
      isCounted = false;
    };
  }

  /** @param over called when nobody can join any more */
  async #begin({ viewer, sourceIp, ...asked }: SubscribedOperation, over: () => void): Promise<Opened> {
    const contextValue: Context = { ...this.#services, viewer, sourceIp, requestId: randomUUID() };
    const args: ExecutionArgs = { ...asked, schema: this.#schema, contextValue };
    try {
      const source = await createSourceEventStream(args);
      if (source instanceof LiveSource) {
        return new SharedSubscription({ source, over, execute: async (rootValue) => execute({ ...args, rootValue }) });
      }
      over();
      if (Symbol.asyncIterator in source) throw new Error("A subscription has a source that cannot be shared");
      return source;
    } catch (error) {
      over();
      throw error;
    }
  }
}
