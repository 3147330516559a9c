// Runs GraphiQL in a frame that has no origin, no storage and no network: operations go to the page around it over a port.
import { editorWorkerService, graphqlWorker, jsonWorker } from "@graphql-yoga/render-graphiql/graphiql";
import { getOperationAST, GraphQLError, OperationTypeNode, parse } from "graphql";
import type { Answer, Opening, Operation, Request } from "./messages.js";

const FIRST_QUERY = `# Runs as whoever is signed in to the panel.
# With an API token: {"Authorization": "Bearer …"} as header.
{
  viewer { permissions hostIds }
  hosts { items { id name kind nodes { name status cpuUsage memoryUsedMb memoryMb } guestCount } }
}
`;

/** Takes the answers to one operation. */
interface Sink {
  next(result: unknown): void;
  complete(): void;
}

interface FetcherOptions {
  readonly headers?: Readonly<Record<string, string>> | null;
}

declare global {
  /** The script of the package, which stands below this one. */
  const YogaGraphiQL: { renderYogaGraphiQL(root: Element, properties: object): void };
  interface Window {
    MonacoEnvironment?: {
      readonly globalAPI: boolean;
      readonly getWorker: (module: string, label: string) => Worker;
    };
  }
}

/** What the editors run beside the page, by the names that they ask for. */
const WORKERS: Readonly<Record<string, string>> = { editorWorkerService, json: jsonWorker, graphql: graphqlWorker };

/** A module worker, which an editor would make itself, does not start from a blob where there is no origin. */
function startWorker(label: string): Worker {
  const script = WORKERS[label];
  if (script === undefined) throw new Error(`There is no worker ${label}`);
  return new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })), { name: label });
}

/** What cannot be read is no subscription: the service says what is wrong with it. */
function isSubscription({ query, operationName }: Operation): boolean {
  try {
    return getOperationAST(parse(query), operationName)?.operation === OperationTypeNode.SUBSCRIPTION;
  } catch (error) {
    if (error instanceof GraphQLError) return false;
    throw error;
  }
}

/** Runs operations over the port. */
class Courier {
  readonly post: (request: Request) => void;
  readonly #sinks = new Map<number, Sink>();
  #last = 0;

  constructor(port: MessagePort) {
    this.post = (request) => port.postMessage(request);
    port.addEventListener("message", ({ data }: MessageEvent<Answer>) => this.#deliver(data));
    port.start();
  }

  /** What GraphiQL calls with each operation. */
  readonly fetcher = (operation: Operation, options: FetcherOptions = {}) => ({
    subscribe: (sink: Sink) => {
      const id = ++this.#last;
      this.#sinks.set(id, sink);
      const headers = options.headers ?? {};
      this.post({ kind: "run", id, operation, headers, subscribes: isSubscription(operation) });
      return {
        unsubscribe: () => {
          if (this.#sinks.delete(id)) this.post({ kind: "cancel", id });
        },
      };
    },
  });

  #deliver(answer: Answer): void {
    const sink = this.#sinks.get(answer.id);
    if (answer.kind === "end") this.#sinks.delete(answer.id);
    if (answer.kind === "end") sink?.complete();
    else sink?.next(answer.result);
  }
}

/** The storage that a frame without an origin lacks: the page keeps what is put into it. */
function storageOf(
  kept: Opening["kept"],
  courier: Courier,
): Pick<Storage, "getItem" | "setItem" | "removeItem" | "clear" | "length"> {
  const texts = new Map(Object.entries(kept));
  const remove = (name: string): void => {
    texts.delete(name);
    courier.post({ kind: "keep", name, text: null });
  };
  return {
    get length() {
      return texts.size;
    },
    getItem: (name) => texts.get(name) ?? null,
    setItem(name, text) {
      texts.set(name, text);
      courier.post({ kind: "keep", name, text });
    },
    removeItem: remove,
    clear: () => [...texts.keys()].forEach(remove),
  };
}

function show({ scheme, kept }: Opening, port: MessagePort): void {
  const root = document.getElementById("root");
  if (root === null) throw new Error("The frame has no root");
  const courier = new Courier(port);
  YogaGraphiQL.renderYogaGraphiQL(root, {
    defaultQuery: FIRST_QUERY,
    fetcher: courier.fetcher,
    forcedTheme: scheme,
    // They may hold an API token.
    shouldPersistHeaders: false,
    storage: storageOf(kept, courier),
  });
}

window.MonacoEnvironment = { globalAPI: false, getWorker: (_module, label) => startWorker(label) };
window.addEventListener(
  "message",
  ({ data, source, ports: [port] }: MessageEvent<Opening>) => {
    if (source === window.parent && port !== undefined) show(data, port);
  },
  { once: true },
);
