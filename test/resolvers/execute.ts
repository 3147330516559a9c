// Executes operations in-process, as callers of several kinds, on a database of its own.
import assert from "node:assert/strict";
import { graphql } from "graphql";
import type { Viewer } from "../../src/access/viewer.js";
import { Permission } from "../../src/core/access/permissions.js";
import { UserRole } from "../../src/core/enums.js";
import { DroverError } from "../../src/errors/errors.js";
import { buildDroverSchema } from "../../resolvers/buildSchema.js";
import { ADMIN_ID, CUSTOMER_ID, fillWorld, RESELLER_ID, type World } from "../graphql/support/world.js";
import { anonymous, contextOf, tokenViewer, userViewer } from "../support/context.js";
import { createTestServices, type TestServices } from "../support/services.js";

/** A token of the test world. */
const stored = (tokenId: number, viewer: Viewer): Viewer => (viewer.kind === "token" ? { ...viewer, tokenId } : viewer);

/** The callers that tests ask as. */
export const callers = {
  manager: stored(1, tokenViewer(null, [Permission.HOSTS_MANAGE])),
  plain: stored(2, tokenViewer()),
  scoped: stored(3, tokenViewer([1])),
  scopedElsewhere: stored(3, tokenViewer([2])),
  scopedManager: stored(3, tokenViewer([1], [Permission.HOSTS_MANAGE])),
  admin: userViewer(UserRole.ADMIN, ADMIN_ID),
  reseller: userViewer(UserRole.RESELLER, RESELLER_ID),
  customer: userViewer(UserRole.CUSTOMER, CUSTOMER_ID),
  nobody: anonymous,
} as const satisfies Record<string, Viewer>;
export type Caller = keyof typeof callers;

export interface Execution {
  readonly services: TestServices;
  readonly world: World;
  /** The data of an operation that must succeed. */
  data(caller: Caller, query: string, variables?: Record<string, unknown>): Promise<unknown>;
  /** The refusal of an operation that must be refused. */
  refusal(caller: Caller, query: string, variables?: Record<string, unknown>): Promise<DroverError>;
  /** The data of one mutation field, under the alias `it`. */
  mutate(caller: Caller, field: string): Promise<unknown>;
  refuseMutation(caller: Caller, field: string): Promise<DroverError>;
  rows(sql: string): Promise<unknown[]>;
}

/** Makes a database with the test world; the caller closes `services`. */
export async function startExecution(): Promise<Execution> {
  const services = await createTestServices();
  const world = await fillWorld(services.pool);
  const schema = buildDroverSchema();
  const run = (caller: Caller, source: string, variableValues: Record<string, unknown>) =>
    graphql({ schema, source, variableValues, contextValue: contextOf(services, callers[caller]) });
  const execution: Execution = {
    services,
    world,
    async data(caller, query, variables = {}) {
      const { data, errors } = await run(caller, query, variables);
      if (errors?.[0] !== undefined) throw errors[0].originalError ?? errors[0];
      return JSON.parse(JSON.stringify(data));
    },
    async refusal(caller, query, variables = {}) {
      const { data, errors } = await run(caller, query, variables);
      const cause = errors?.[0]?.originalError;
      assert.ok(cause instanceof DroverError, `expected a refusal: ${JSON.stringify({ data, errors })}`);
      return cause;
    },
    mutate: (caller, field) => execution.data(caller, `mutation { it: ${field} }`),
    refuseMutation: (caller, field) => execution.refusal(caller, `mutation { it: ${field} }`),
    rows: async (sql) => (await services.pool.query(sql)).rows,
  };
  return execution;
}
