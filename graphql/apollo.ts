// Sets up Apollo Server: which documents it executes, and how its errors look.
import {
  ApolloServer,
  type ApolloServerOptionsWithGateway,
  type ApolloServerPlugin,
  type HTTPGraphQLHead,
} from "@apollo/server";
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from "@apollo/server/plugin/disabled";
import { OperationTypeNode, type GraphQLFormattedError, type GraphQLSchema } from "graphql";
import type { Context } from "../src/context/context.js";
import { graphqlCodeOf, httpStatusOf } from "../src/errors/errors.js";
import { compiledExecution } from "./compiledExecution.js";
import { presentError } from "./errorPresentation.js";
import { refuseExcessive } from "./operationCost.js";
import { refuseUnserved } from "./served.js";

/** Most words and signs of a document. */
export const MOST_TOKENS = 10_000;
/** The status that HTTP has where none is set. */
const OK = 200;

/** Refuses what is not served, and what costs too much: that depends on the variables and is estimated for each request. */
const refuseOperations = (schema: GraphQLSchema): ApolloServerPlugin<Context> => ({
  async requestDidStart() {
    return {
      async didResolveOperation({ document, operationName, request }) {
        refuseUnserved(document, request.operationName);
        refuseExcessive({ schema, document, operationName, variables: request.variables ?? {} });
      },
    };
  },
});

/** Puts the service's words in the place of Apollo's; here, since only here the request is known. */
const presentErrors: ApolloServerPlugin<Context> = {
  async requestDidStart() {
    return {
      async willSendResponse({ request, response, errors, contextValue }) {
        if (response.body.kind !== "single" || errors === undefined) return;
        const presented = errors.map((error) => presentError(error, contextValue));
        response.body.singleResult.errors = presented;
        setHead(response.http, presented, request.http?.headers.get("accept") ?? "");
      },
    };
  },
};

/** The context of an operation over HTTP. */
export interface HttpContext extends Context {
  /** Puts the request into the log with this status; else it is logged soon after its answer. */
  logNow(status: number): Promise<void>;
  /** Waits before a refusal is answered with this status, where that is due. */
  paceRefusal(status: number): Promise<void>;
}

/** What changes something is in the log before its answer leaves. To come after the plugin that decides the status. */
const logMutations: ApolloServerPlugin<HttpContext> = {
  async requestDidStart() {
    return {
      async willSendResponse({ operation, contextValue, response }) {
        if (operation?.operation === OperationTypeNode.MUTATION) await contextValue.logNow(response.http.status ?? OK);
      },
    };
  },
};

/** Refusals that HTTP takes for successes: the others wait where they are sent. To come last: by then the answer is in the log. */
const paceRefusals: ApolloServerPlugin<HttpContext> = {
  async requestDidStart() {
    return {
      async willSendResponse({ errors, contextValue, response }) {
        const { status = OK } = response.http;
        if (errors !== undefined && status === OK) await contextValue.paceRefusal(status);
      },
    };
  },
};

/** Refusals that pass by themselves, with their statuses; the first that is among the errors decides. */
const PASSING = [
  [graphqlCodeOf.rateLimited, httpStatusOf.rateLimited],
  [graphqlCodeOf.unavailable, httpStatusOf.unavailable],
] as const;

/** Clients of the plain type take every status but 200 for a failed request: theirs does not tell what is wrong with a document. */
const isPlainJson = (accept: string): boolean =>
  /\bapplication\/json\b/i.test(accept) && !/\bapplication\/graphql-response\+json\b/i.test(accept);

/** Status and headers: 429 or 503 with `Retry-After` for who must come again, and nothing that a caller sent is a 500. */
function setHead(http: HTTPGraphQLHead, errors: readonly GraphQLFormattedError[], accept: string): void {
  const codes = errors.map(({ extensions }) => extensions?.["code"]);
  if (http.status === 500 && codes.every((code) => code !== "INTERNAL_SERVER_ERROR")) http.status = 400;
  if (http.status === 400 && codes.every((code) => code === graphqlCodeOf.validation) && isPlainJson(accept)) {
    http.status = OK;
  }
  const [passing] = PASSING.filter(([code]) => codes.includes(code));
  if (passing === undefined) return;
  const [code, status] = passing;
  http.status = status;
  const seconds = errors[codes.indexOf(code)]?.extensions?.["retryAfterSeconds"];
  if (typeof seconds === "number") http.headers.set("Retry-After", String(seconds));
}

/** Apollo's way to leave execution to somebody else; the schema is ours and never changes. */
function executedBy(schema: GraphQLSchema): ApolloServerOptionsWithGateway<HttpContext>["gateway"] {
  const execute = compiledExecution(schema);
  return {
    onSchemaLoadOrUpdate(use) {
      use({ apiSchema: schema, coreSupergraphSdl: "" });
      return () => undefined;
    },
    load: () =>
      Promise.resolve({
        executor({ document, operation, operationName, context: given, request: { variables = {} } }) {
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is what the HTTP handler made for this request
          const context = given as Context;
          return execute({ document, operation, operationName, context, variables });
        },
      }),
    stop: () => Promise.resolve(),
  };
}

/** A started server. It is stopped with the HTTP server, by whoever owns that: signals are not its business. */
export async function startApollo(schema: GraphQLSchema): Promise<ApolloServer<HttpContext>> {
  const apollo = new ApolloServer<HttpContext>({
    gateway: executedBy(schema),
    introspection: true,
    allowBatchedHttpRequests: false,
    persistedQueries: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    parseOptions: { maxTokens: MOST_TOKENS },
    // Nothing here rests on cookies; a request with one of these headers cannot come from a foreign page unasked.
    csrfPrevention: { requestHeaders: ["authorization", "x-apollo-operation-name", "apollo-require-preflight"] },
    plugins: [
      ApolloServerPluginLandingPageDisabled(),
      // It would have every field of every record looked at for a cache policy that none of them has.
      ApolloServerPluginCacheControlDisabled(),
      refuseOperations(schema),
      presentErrors,
      logMutations,
      paceRefusals,
    ],
  });
  await apollo.start();
  return apollo;
}
