// Queries that are executed once for all who ask the same at the same time: only for the same caller, and never mutations.
import assert from "node:assert/strict";
import { getOperationAST, parse, type ExecutionResult } from "graphql";
import { answerWriter, sharedExecution } from "../../graphql/sharedExecution.js";
import type { Viewer } from "../../src/access/viewer.js";
import { UserRole } from "../../src/core/enums.js";
import { Departure } from "../../src/db/departure.js";
import { readsUntil } from "../../src/server/departure.js";
import { contextOf, managingToken, tokenViewer, userViewer } from "../support/context.js";
import { createTestServices, type TestServices } from "../support/services.js";

type Execute = Parameters<typeof sharedExecution>[0];
type Asked = Parameters<Execute>[0];

const LEFT = new Error("left");

const numbered = (tokenId: number): Viewer => ({
  kind: "token",
  tokenId,
  name: "test",
  permissions: new Set(),
  hostIds: null,
});

describe("graphql/sharedExecution", () => {
  let services: TestServices;
  before(async () => {
    services = await createTestServices();
  });
  after(() => services.close());

  /** Asks for the operation of this text; executions answer with their number. */
  function asker(text = "query Guests { guests { meta { total } } }") {
    const document = parse(text);
    const operation = getOperationAST(document);
    assert.ok(operation);
    let executions = 0;
    const execute = sharedExecution(() => {
      executions++;
      return Promise.resolve({ data: { number: executions } });
    });
    return async (viewer: Viewer, variables: Asked["variables"] = {}): Promise<unknown> => {
      const context = contextOf(services, viewer);
      const { data } = await execute({ document, operation, operationName: null, context, variables });
      return data?.["number"];
    };
  }

  it("executes a query once for a caller who asks it several times at once", async () => {
    const ask = asker();
    assert.deepEqual(await Promise.all([ask(managingToken()), ask(managingToken())]), [1, 1]);
    assert.equal(await ask(managingToken()), 2);
  });

  const wide = managingToken();
  const pairs: readonly (readonly [string, Viewer, Viewer])[] = [
    ["a token's scope was narrowed", wide, managingToken([1])],
    ["a token has lost a permission", wide, tokenViewer(null, [])],
    ["two tokens may do the same", numbered(1), numbered(2)],
    ["two people may do the same", userViewer(UserRole.ADMIN, 1), userViewer(UserRole.ADMIN, 2)],
    ["a person and a token have the same id", userViewer(UserRole.ADMIN, 0), wide],
  ];
  for (const [name, one, other] of pairs) {
    it(`executes it for each where ${name}`, async () => {
      const ask = asker();
      assert.deepEqual(await Promise.all([ask(one), ask(other)]), [1, 2]);
    });
  }

  it("executes it for each with variables of its own", async () => {
    const ask = asker();
    const numbers = [{ id: 1 }, { id: "1" }, { id: 1 }].map((variables) => ask(wide, variables));
    assert.deepEqual(await Promise.all(numbers), [1, 2, 1]);
  });

  it("executes each mutation", async () => {
    const ask = asker("mutation { logout }");
    assert.deepEqual(await Promise.all([ask(wide), ask(wide)]), [1, 2]);
  });

  it("goes on as long as somebody waits, and is given up when all have left", async () => {
    const document = parse("{ hosts { meta { total } } }");
    const operation = getOperationAST(document);
    assert.ok(operation);
    const { promise: begun, resolve: begin } = Promise.withResolvers<Departure>();
    const execute = sharedExecution(({ context: { readsFor } }) => {
      assert.ok(readsFor);
      begin(readsFor.departure);
      return Promise.withResolvers<ExecutionResult>().promise;
    });
    const [first, last] = [new Departure(), new Departure()];
    const asked = [first, last].map((departure) => {
      const context = { ...contextOf(services, wide), readsFor: readsUntil(() => departure, services.pool) };
      return execute({ document, operation, operationName: null, variables: {}, context });
    });
    const departure = await begun;
    first.leave(LEFT);
    assert.equal(departure.reason, null);
    last.leave(LEFT);
    assert.equal(departure.reason, LEFT);
    await Promise.all(asked.map((each) => assert.rejects(each, LEFT)));
  });
});

describe("answers written once", () => {
  it("writes the same data once, and what else is in an answer each time", () => {
    const write = answerWriter();
    let looks = 0;
    const data = {
      get total() {
        looks++;
        return 1;
      },
    };
    assert.equal(write({ data }), '{"data":{"total":1}}\n');
    assert.equal(write({ errors: undefined, data }), '{"data":{"total":1}}\n');
    assert.equal(looks, 1);
    const errors = [{ message: "no" }];
    assert.equal(write({ errors, data }), '{"errors":[{"message":"no"}],"data":{"total":1}}\n');
    assert.equal(write({ data: null, errors }), '{"data":null,"errors":[{"message":"no"}]}\n');
    assert.equal(write({ data: { other: 2 } }), '{"data":{"other":2}}\n');
  });
});
