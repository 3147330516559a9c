// Benchmark: the page of guests over GraphQL beside the same page over REST v1, both of the service.
import assert from "node:assert/strict";
import { z } from "zod";
import { withBenchDatabase } from "../database.js";
import { inTurns, ratioOf, type Benchmark, type Effort, type Result } from "../frame.js";
import { answerOf, bearer, graphqlRequest, loaded, type LoadRequest } from "../load/load.js";
import { ASKED, CLIENTS, fillGuests, PAGE_PATHS } from "../server/guestPage.js";
import { withServers, type ServerProcess } from "../server/process.js";

const QUERY = `query Guests($hostIds: [Int!], $page: Int, $perPage: Int) {
  guests(filter: { hostIds: $hostIds }, sort: { field: VMID, direction: ASC }, page: $page, perPage: $perPage) {
    items {
      type vmid node name hostId status template lock tags cores memoryMb diskGb cpuUsage memoryUsedMb uptimeSeconds
      ownerId planId ipAddresses safetyCopy safetyCopyDeleteAt lastSeenAt
    }
    meta { page perPage total }
  }
}`;

export const graphql: Benchmark = {
  name: "graphql",
  title: "the page of 50 guests over GraphQL (POST) beside the REST v1 route",
  longestSeconds: 300,
  run: (effort) =>
    withBenchDatabase(async (database) => {
      const { pool } = database;
      const token = await fillGuests(pool);
      const rest = PAGE_PATHS.map((path): LoadRequest => ({ method: "GET", path, headers: bearer(token) }));
      const query = PAGE_PATHS.map((_, index) => graphqlRequest(token, QUERY, { hostIds: [index + 1], ...ASKED }));
      return withServers(["drover"], database, async ([server]) => {
        if (server === undefined) throw new Error("no server was started");
        await assertSameGuests(server, rest[0], query[0]);
        return compare(server, { rest, query }, effort);
      });
    }),
};

/** The requests for the same pages in the same order, a page for each client. */
interface Requests {
  readonly rest: readonly LoadRequest[];
  readonly query: readonly LoadRequest[];
}

async function compare(server: ServerProcess, { rest, query }: Requests, { rounds, seconds }: Effort): Promise<Result> {
  const load = { connections: CLIENTS, seconds };
  const standings = await inTurns(
    [loaded("REST v1", server, { ...load, requests: rest }), loaded("GraphQL", server, { ...load, requests: query })],
    rounds,
  );
  const value = ratioOf(standings, "GraphQL", "requests/s");
  return { standings, verdicts: [{ says: "requests/s to REST v1", value, unit: "×", atLeast: 0.6 }] };
}

const vmids = z.array(z.object({ vmid: z.number() }));
const restAnswer = z.object({ data: vmids, meta: z.object({ total: z.number() }) });
const graphqlAnswer = z.object({
  data: z.object({ guests: z.object({ items: vmids, meta: z.object({ total: z.number() }) }) }),
});

async function assertSameGuests(
  server: ServerProcess,
  rest: LoadRequest | undefined,
  query: LoadRequest | undefined,
): Promise<void> {
  assert.ok(rest !== undefined && query !== undefined);
  const { data, meta } = restAnswer.parse(await answerOf(server, rest));
  const { guests } = graphqlAnswer.parse(await answerOf(server, query)).data;
  assert.equal(data.length, 50);
  assert.deepEqual(guests, { items: data, meta });
}
