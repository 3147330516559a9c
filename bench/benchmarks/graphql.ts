// Benchmark: the page of guests over GraphQL beside the same page over REST v1, both of the service.
import assert from "node:assert/strict";
import { z } from "zod";
import { withBenchDatabase } from "../database.js";
import { inTurns, ratioOf, type Benchmark, type Effort, type Result } from "../frame.js";
import { answerOf, bearer, graphqlRequest, loaded, type LoadRequest } from "../load/load.js";
import { fillGuests, PAGE_PATH } from "../server/guestPage.js";
import { withServers, type ServerProcess } from "../server/process.js";

const CONNECTIONS = 16;

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
  longestSeconds: 180,
  run: (effort) =>
    withBenchDatabase(async (database) => {
      const { pool } = database;
      const token = await fillGuests(pool);
      const rest: LoadRequest = { method: "GET", path: PAGE_PATH, headers: bearer(token) };
      const query = graphqlRequest(token, QUERY, { hostIds: [1], page: 2, perPage: 50 });
      return withServers(["drover"], database, ([server]) => {
        if (server === undefined) throw new Error("no server was started");
        return compare(server, { rest, query }, effort);
      });
    }),
};

async function compare(
  server: ServerProcess,
  { rest, query }: { readonly rest: LoadRequest; readonly query: LoadRequest },
  { rounds, seconds }: Effort,
): Promise<Result> {
  await assertSameGuests(server, { rest, query });
  const load = { connections: CONNECTIONS, seconds };
  const standings = await inTurns(
    [
      loaded("REST v1", server, { ...load, requests: [rest] }),
      loaded("GraphQL", server, { ...load, requests: [query] }),
    ],
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
  { rest, query }: { readonly rest: LoadRequest; readonly query: LoadRequest },
): Promise<void> {
  const { data, meta } = restAnswer.parse(await answerOf(server, rest));
  const { guests } = graphqlAnswer.parse(await answerOf(server, query)).data;
  assert.equal(data.length, 50);
  assert.deepEqual(guests, { items: data, meta });
}
