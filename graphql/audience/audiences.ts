// Groups subscribers with the same question and the same visibility, so that each question is answered once.
import { randomUUID } from "node:crypto";
import {
  createSourceEventStream,
  execute as executeOperation,
  GraphQLError,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
} from "graphql";
import { visibilityKey } from "../../src/access/visibility.js";
import type { Viewer } from "../../src/access/viewer.js";
import type { Context, Services } from "../../src/context/context.js";
import { LiveSource, type LiveEvent } from "../../src/events/liveSource.js";
import { presentError } from "../errorPresentation.js";
import { Audience } from "./audience.js";
import type { Errors, Seat, Subscriber } from "./subscriber.js";

/** What is asked for, and who asks. */
interface Question {
  /** The same object for the same text: only then it is the same question. */
  readonly document: DocumentNode;
  readonly operationName: string | null;
  readonly variableValues: Readonly<Record<string, unknown>>;
  readonly viewer: Viewer;
  readonly sourceIp: string;
}

/** An audience, or why there can be none: the errors of the operation. */
type Opened = Audience | ExecutionResult;

export class Audiences {
  readonly #schema: GraphQLSchema;
  readonly #services: Services;
  /** By document, then by everything else that makes questions the same. */
  readonly #opened = new WeakMap<DocumentNode, Map<string, Promise<Opened>>>();

  constructor(schema: GraphQLSchema, services: Services) {
    this.#schema = schema;
    this.#services = services;
  }

  /** Resolves when the subscriber was told what is told first. @returns the errors of the operation when it is refused */
  async join(question: Question, seat: Seat): Promise<Subscriber | ExecutionResult> {
    for (;;) {
      const opened = await this.#open(question);
      if (!(opened instanceof Audience)) return opened;
      const subscriber = await opened.admit(seat);
      // What it would have followed ended just now: whoever asks anew is told how it ended, or why it is not there.
      if (subscriber !== null) return subscriber;
    }
  }

  #open(question: Question): Promise<Opened> {
    const { document, operationName, variableValues, viewer } = question;
    const ofDocument = this.#opened.get(document) ?? new Map<string, Promise<Opened>>();
    this.#opened.set(document, ofDocument);
    const key = JSON.stringify([operationName, variableValues, visibilityKey(viewer)]);
    const known = ofDocument.get(key);
    if (known !== undefined) return known;
    const opening = this.#gather(question, () => ofDocument.delete(key));
    ofDocument.set(key, opening);
    return opening;
  }

  /** @param over called when nobody can join any more */
  async #gather({ viewer, sourceIp, ...asked }: Question, over: () => void): Promise<Opened> {
    const context: Context = { ...this.#services, viewer, sourceIp, requestId: randomUUID() };
    const args: ExecutionArgs = { ...asked, schema: this.#schema, contextValue: context };
    try {
      const source = await createSourceEventStream(args);
      if (source instanceof LiveSource) {
        const execute = (event: LiveEvent): Promise<string> => answer(args, context, event);
        return new Audience({ source, over, execute, present: (error) => faults(error, context) });
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

/** The result for one event, JSON. Faults are told with the id of the request that was the first to ask. */
async function answer(args: ExecutionArgs, context: Context, event: LiveEvent): Promise<string> {
  const { errors, ...result } = await executeOperation({ ...args, rootValue: event });
  const presented = errors?.map((error) => presentError(error, context));
  return JSON.stringify(presented === undefined ? result : { ...result, errors: presented });
}

function faults(error: unknown, context: Context): Errors {
  const originalError = error instanceof Error ? error : new Error(String(error));
  return [presentError(new GraphQLError(originalError.message, { originalError }), context)];
}
