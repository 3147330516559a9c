// Runs all REST cases over real HTTP and a real database, and checks that no endpoint is without one.
import assert from "node:assert/strict";
import { describeRest } from "../../rest/openapi/describe.js";
import { routes } from "../../rest/routes/index.js";
import { buildDroverSchema } from "../../resolvers/buildSchema.js";
import { httpStatusOf } from "../../src/errors/errors.js";
import { accessCases } from "./cases/access.js";
import { encodingCases, numberCases, textCases } from "./cases/bodies.js";
import { bodyCases, creationCases } from "./cases/creation.js";
import { assignmentCases, deletionCases, reinstallCases } from "./cases/guestJobs.js";
import { orderCases } from "./cases/order.js";
import { idCases, methodCases, nodeNameCases, queryCases } from "./cases/paths.js";
import { pagingCases, protocolCases } from "./cases/protocol.js";
import { powerCases } from "./cases/power.js";
import { readCases } from "./cases/reads.js";
import { placementCases, userCases } from "./cases/users.js";
import type { Case, CaseAnswer } from "./support/case.js";
import { Description } from "./support/description.js";
import { casePlatform } from "./support/platform.js";
import { send } from "./support/send.js";
import { startRest, type RestService } from "./support/service.js";
import { fixedClock, noPlatform } from "../support/services.js";
import { fillWorld, type World } from "./support/world.js";

const NOW = new Date("2026-11-21T12:00:00Z");
const cases: readonly Case[] = [
  ...accessCases,
  ...protocolCases,
  ...pagingCases,
  ...bodyCases,
  ...nodeNameCases,
  ...idCases,
  ...methodCases,
  ...queryCases,
  ...readCases,
  ...placementCases,
  ...creationCases,
  ...powerCases,
  ...numberCases,
  ...userCases,
  ...encodingCases,
  ...textCases,
  ...assignmentCases,
  ...reinstallCases,
  ...deletionCases,
  ...orderCases,
];

describe("rest/cases", () => {
  const description = new Description(describeRest(buildDroverSchema(), routes));
  let service: RestService;
  let world: World;
  before(async () => {
    service = await startRest({ clock: fixedClock(NOW), hypervisors: { ...noPlatform, ...casePlatform } });
    world = await fillWorld(service.services.pool, NOW);
  });
  after(() => service.close());

  for (const each of cases) {
    it(`${each.id}: ${each.must}`, async () => {
      await each.given?.(service, world);
      const answer = await send(service, world, each.request);
      check(each, answer);
      description.check(each.request, answer);
    });
  }

  it("has a case for every endpoint", () => {
    const unmet = routes.filter((route) => !cases.some(({ request, status }) => status < 300 && meets(route, request)));
    assert.deepEqual(
      unmet.map(({ method, path }) => `${method} ${path}`),
      [],
    );
  });

  it("has a case for every conflict and every failure of the platform that an endpoint is documented to have", () => {
    const unmet = routes.flatMap((route) =>
      (route.mayFailWith ?? [])
        .map((kind) => httpStatusOf[kind])
        .filter((refusal) => !cases.some(({ request, status }) => status === refusal && meets(route, request)))
        .map((refusal) => `${route.method} ${route.path} ${refusal}`),
    );
    assert.deepEqual(unmet, []);
  });

  it("names every case once", () => {
    assert.equal(new Set(cases.map(({ id }) => id)).size, cases.length);
  });
});

function check({ status, body, error, fields, headers }: Case, answer: CaseAnswer): void {
  assert.equal(answer.status, status, `${answer.status} ${JSON.stringify(answer.body)}`);
  if (body !== undefined) assert.partialDeepStrictEqual(answer.body, body);
  if (error !== undefined) assert.match(messageOf(answer.body), error);
  if (fields !== undefined) assert.deepEqual(Object.keys(firstRecord(answer.body)), fields);
  for (const [name, pattern] of Object.entries(headers ?? {})) assert.match(answer.headers.get(name) ?? "", pattern);
}

const messageOf = (body: unknown): string =>
  typeof body === "object" && body !== null && "error" in body ? String(body.error) : "";

function firstRecord(body: unknown): object {
  const data = typeof body === "object" && body !== null && "data" in body ? body.data : null;
  const record: unknown = Array.isArray(data) ? data[0] : data;
  assert.ok(typeof record === "object" && record !== null, "the answer has a record");
  return record;
}

function meets(route: { method: string; path: string }, request: Case["request"]): boolean {
  const pattern = new RegExp(`^${route.path.replaceAll(/\{[^}]+\}/g, "[^/?]+")}(\\?|$)`);
  return route.method === request.method && pattern.test(request.path);
}
