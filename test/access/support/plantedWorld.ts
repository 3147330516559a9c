// A database in which every text, address and secret tells by a mark of its own whose it is, and callers of every kind.
import assert from "node:assert/strict";
import { execute, parse, validate, type DocumentNode, type GraphQLError } from "graphql";
import { buildDroverSchema } from "../../../resolvers/buildSchema.js";
import type { Viewer } from "../../../src/access/viewer.js";
import { Permission } from "../../../src/core/access/permissions.js";
import { UserRole } from "../../../src/core/enums.js";
import { DroverError } from "../../../src/errors/errors.js";
import { anonymous, contextOf, tokenViewer, userViewer } from "../../support/context.js";
import { plant } from "../../support/rows.js";
import { createTestServices, type TestServices } from "../../support/services.js";
import { PLANTED } from "./plantedRows.js";

const MANAGING = [Permission.HOSTS_MANAGE];

/** A token of the planted rows. */
const stored = (tokenId: number, viewer: Viewer): Viewer => (viewer.kind === "token" ? { ...viewer, tokenId } : viewer);

/** Customer A is a customer of reseller 1, B of reseller 2, C of nobody. Host 1 has guests of A, B and nobody; host 2 too. */
export const callers = {
  nobody: anonymous,
  reseller1: userViewer(UserRole.RESELLER, 3),
  customerA: userViewer(UserRole.CUSTOMER, 5),
  customerB: userViewer(UserRole.CUSTOMER, 6),
  manager: stored(1, tokenViewer(null, MANAGING)),
  plain: stored(2, tokenViewer()),
  scoped: stored(3, tokenViewer([1])),
  scopedManager: stored(4, tokenViewer([1], MANAGING)),
  widerManager: stored(6, tokenViewer([1, 2], MANAGING)),
} as const satisfies Record<string, Viewer>;
export type Caller = keyof typeof callers;

/** What an operation answers: its data, and its refusals as a client is told them. */
interface PlantedAnswer {
  readonly data: unknown;
  readonly refusals: readonly object[];
  /** Faults that are no refusals: nothing that a caller asks may bring one about. */
  readonly faults: readonly unknown[];
}

export interface PlantedWorld {
  readonly services: TestServices;
  ask(caller: Caller, source: string): Promise<PlantedAnswer>;
  close(): Promise<void>;
}

const schema = buildDroverSchema();
const documents = new Map<string, DocumentNode>();

/** The same object for the same text: the service compiles what it asks the database once a document. */
function documentOf(source: string): DocumentNode {
  const known = documents.get(source);
  if (known !== undefined) return known;
  const document = parse(source);
  assert.deepEqual(validate(schema, document), [], source);
  documents.set(source, document);
  return document;
}

/** No platform is there: what gets as far as asking one was let in. */
const LET_IN = "this test has no platform";

/** No agent reports, no host is read and no worker runs: what is current stays so, however long the tests take. */
const CURRENT = `
  update agent set last_seen_at = last_seen_at + interval '1 day';
  update host set last_sync_at = last_sync_at + interval '1 day' where last_sync_error is null;
  update worker set seen_at = seen_at + interval '1 day'`;

export async function startPlantedWorld(): Promise<PlantedWorld> {
  const services = await createTestServices();
  await plant(services.pool, PLANTED);
  await services.pool.query(CURRENT);
  return {
    services,
    async ask(caller, source) {
      const contextValue = contextOf(services, callers[caller]);
      const { data, errors = [] } = await execute({ schema, document: documentOf(source), contextValue });
      const causes = errors.map(causeOf);
      const refusals = causes.filter((cause) => cause instanceof DroverError);
      const faults = causes.filter((cause) => !(cause instanceof DroverError) && !isLetIn(cause));
      return { data: data ?? null, refusals: refusals.map(told), faults };
    },
    close: () => services.close(),
  };
}

const causeOf = (error: GraphQLError): unknown => error.originalError ?? error;
const isLetIn = (cause: unknown): boolean => cause instanceof Error && cause.message === LET_IN;
const told = ({ kind, reason, message, fields }: DroverError): object => ({ kind, reason, message, fields });
