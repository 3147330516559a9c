// Benchmark: the memory of the service that has served every list of a large fleet, beside the idle service on an empty database.
import { isEnumType, isNonNullType, isObjectType, isScalarType, getNamedType, type GraphQLField } from "graphql";
import { z } from "zod";
import { buildDroverSchema } from "../../resolvers/buildSchema.js";
import { withBenchDatabase, type BenchDatabase } from "../database.js";
import type { Benchmark, Result, Standing } from "../frame.js";
import { answerOf, bearer, graphqlRequest, type LoadRequest } from "../load/load.js";
import { fillFleet, fleetOf } from "../seed/fleet.js";
import { storeToken } from "../seed/token.js";
import { withServers } from "../server/process.js";

const GUESTS = 100_000;
/** As long as pages can be. */
const PER_PAGE = 200;
const REST_PAGES = 300;
const MB = 1024 ** 2;
const IDLE = "idle, empty database";
const SERVED = `after every list, ${GUESTS} guests`;

export const memory: Benchmark = {
  name: "memory",
  title: `resident memory with ${GUESTS} guests after every list was served, beside the idle service`,
  longestSeconds: 240,
  run: () =>
    withBenchDatabase(async (database) => {
      const idle = await withServers(["drover"], database, async ([server]) => (await server?.use())?.memory ?? 0);
      await fillFleet(database.pool, fleetOf(GUESTS));
      const { resident, lists } = await servingLists(database);
      return resultOf(idle, resident, lists);
    }),
};

async function servingLists({
  pool,
  ...database
}: BenchDatabase): Promise<{ readonly resident: number; readonly lists: number }> {
  const token = await storeToken(pool, { permissions: ["hosts.manage"] });
  const lists = listQueries().map((query) => graphqlRequest(token, query));
  return withServers(["drover"], { pool, ...database }, async ([server]) => {
    if (server === undefined) throw new Error("no server was started");
    for (const list of lists) withoutErrors.parse(await answerOf(server, list));
    for (let page = 1; page <= REST_PAGES; page++) restPage.parse(await answerOf(server, guestsPage(token, page)));
    return { resident: (await server.use()).memory, lists: lists.length };
  });
}

const withoutErrors = z.object({ data: z.object(), errors: z.undefined().optional() });
const restPage = z.object({ data: z.array(z.object({ vmid: z.number() })).min(1) });

const guestsPage = (token: string, page: number): LoadRequest => ({
  method: "GET",
  path: `/api/v1/hosts/${1 + (page % 100)}/guests?page=${1 + (page % 5)}&per_page=${PER_PAGE}`,
  headers: bearer(token),
});

/** A query for the first page of each list of the schema, with every plain field of its records. */
function listQueries(): string[] {
  const fields = Object.values(buildDroverSchema().getQueryType()?.getFields() ?? {});
  return fields.filter((field) => getNamedType(field.type).name.endsWith("Page")).map(listQuery);
}

function listQuery({ name, type, args }: GraphQLField<unknown, unknown>): string {
  // What a list must be told is whose it is: the first host's, zone's or person's.
  const ofFirst = args.filter((arg) => isNonNullType(arg.type)).map((arg) => `${arg.name}: 1`);
  const page = getNamedType(type);
  const items = isObjectType(page) ? page.getFields()["items"] : undefined;
  const record = items && getNamedType(items.type);
  const plain = isObjectType(record) ? Object.values(record.getFields()).filter(isPlain) : [];
  const selected = plain.map((field) => field.name).join(" ");
  return `{ ${name}(${[...ofFirst, `perPage: ${PER_PAGE}`].join(", ")}) { items { ${selected} } meta { total } } }`;
}

function isPlain({ type, args }: GraphQLField<unknown, unknown>): boolean {
  const named = getNamedType(type);
  return args.length === 0 && (isScalarType(named) || isEnumType(named));
}

function resultOf(idle: number, served: number, lists: number): Result {
  const standing = (name: string, bytes: number): Standing => ({
    name,
    figures: { "resident MB": bytes / MB },
    ratios: { "resident MB": bytes / idle },
  });
  const value = (served - idle) / MB;
  return {
    standings: [standing(IDLE, idle), standing(SERVED, served)],
    verdicts: [{ says: "more than the idle process", value, unit: "MB", atMost: 150 }],
    notes: [`${lists} lists over GraphQL, ${PER_PAGE} records each, and ${REST_PAGES} such pages over REST v1`],
  };
}
