// Sets Apollo Server up: which documents it executes, and how its errors look.
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
import type { GraphQLFormattedError, GraphQLSchema } from "graphql";
import type { Context } from "../src/context.js";
import { graphqlCodeOf } from "../src/errors.js";
import { compiledExecution } from "./compiledExecution.js";
import { presentError } from "./errorPresentation.js";
import { refuseExcessive } from "./operationCost.js";

/** Most words and signs of a document. */
export const MOST_TOKENS = 10_000;

/** Refuses what costs too much. The cost depends on the variables, so that it is reckoned for each request. */
const boundCost = (schema: GraphQLSchema): ApolloServerPlugin<Context> => ({
  async requestDidStart() {
    return {
      async didResolveOperation({ document, operationName, request }) {
        refuseExcessive({ schema, document, operationName, variables: request.variables ?? {} });
      },
    };
  },
});

/** Puts the service's words in the place of Apollo's; here, since only here the request is known. */
const presentErrors: ApolloServerPlugin<Context> = {
  async requestDidStart() {
    return {
      async willSendResponse({ response, errors, contextValue }) {
        if (response.body.kind !== "single" || errors === undefined) return;
        const presented = errors.map((error) => presentError(error, contextValue));
        response.body.singleResult.errors = presented;
        setHead(response.http, presented);
      },
    };
  },
};

/** Status and headers: 429 with `Retry-After` for who must wait, and nothing that a caller sent is a 500. */
function setHead(http: HTTPGraphQLHead, errors: readonly GraphQLFormattedError[]): void {
  const codes = errors.map(({ extensions }) => extensions?.["code"]);
  if (http.status === 500 && codes.every((code) => code !== "INTERNAL_SERVER_ERROR")) http.status = 400;
  const limited = errors[codes.indexOf(graphqlCodeOf.rateLimited)];
  if (limited === undefined) return;
  http.status = 429;
  const seconds = limited.extensions?.["retryAfterSeconds"];
  if (typeof seconds === "number") http.headers.set("Retry-After", String(seconds));
}

/** Apollo's way to leave execution to somebody else; the schema is ours and never changes. */
function executedBy(schema: GraphQLSchema): ApolloServerOptionsWithGateway<Context>["gateway"] {
  const execute = compiledExecution(schema);
  return {
    onSchemaLoadOrUpdate(use) {
      use({ apiSchema: schema, coreSupergraphSdl: "" });
      return () => undefined;
    },
    load: () =>
      Promise.resolve({
        executor: ({ document, operation, operationName, context, request: { variables = {} } }) =>
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is what the HTTP door made for this request
          execute({ document, operation, operationName, context: context as Context, variables }),
      }),
    stop: () => Promise.resolve(),
  };
}

/** A started server. It is stopped with the HTTP server, by whoever owns that: signals are not its business. */
export async function startApollo(schema: GraphQLSchema): Promise<ApolloServer<Context>> {
  const apollo = new ApolloServer<Context>({
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
      boundCost(schema),
      presentErrors,
    ],
  });
  await apollo.start();
  return apollo;
}
