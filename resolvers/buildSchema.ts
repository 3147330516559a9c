// Builds the one GraphQL schema of the service from its views and resolvers.
// oxlint-disable-next-line import/no-unassigned-import -- type-graphql's decorators need it before any view is loaded
import "reflect-metadata";
import { lexicographicSortSchema, printSchema, type GraphQLSchema } from "graphql";
import { buildSchemaSync } from "type-graphql";
import { resolvers } from "./index.js";
import { boundLists } from "../schema/boundedLists.js";

/** Every subscription brings its own source of events; type-graphql only asks for one to be there. */
const noPubSub = {
  publish(): never {
    throw new Error("Events are announced by the database");
  },
  subscribe(): never {
    throw new Error("Subscriptions listen to the service's events");
  },
};

let built: GraphQLSchema | undefined;

/** The executable schema; built at first use, the same afterwards. GraphQL and REST v1 execute against it. */
export function buildDroverSchema(): GraphQLSchema {
  built ??= bounded(buildSchemaSync({ resolvers, validate: false, pubSub: noPubSub }));
  return built;
}

function bounded(schema: GraphQLSchema): GraphQLSchema {
  boundLists(schema);
  return schema;
}

/** The schema as it is checked in at `schema/schema.graphql`. */
export function printDroverSchema(): string {
  return `${printSchema(lexicographicSortSchema(buildDroverSchema()))}\n`;
}
