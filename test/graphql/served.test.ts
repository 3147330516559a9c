// Requests that name no operation, or one that HTTP does not serve: refused with the reason, over HTTP and WebSocket.
import assert from "node:assert/strict";
import { LiveStage } from "./support/liveStage.js";
import { ask } from "./support/service.js";
import { RUNNING_JOB } from "./support/world.js";

const TWO = "query A { __typename } query B { __typename }";
const CONDITIONAL = "subscription ($on: Boolean!) { guestChanged @include(if: $on) { id } }";
const NOWHERE = "subscription { ...F } fragment F on Subscription { ... @skip(if: true) { guestChanged { id } } }";

const unserved: readonly [string, { readonly query: string; readonly operationName?: string }, RegExp][] = [
  ["an operation that the document does not have", { query: TWO, operationName: "C" }, /no operation named "C"/],
  ["several operations without saying which", { query: TWO }, /operationName must say/],
  ["a subscription", { query: "subscription { guestChanged { id } }" }, /over WebSocket/],
  ["a subscription under a condition", { query: CONDITIONAL }, /must not stand under @skip or @include/],
  ["a subscription to nothing", { query: NOWHERE }, /must not stand under @skip or @include/],
  [
    "a subscription under a condition beside what is asked",
    { query: `query A { __typename } ${CONDITIONAL.replace("subscription", "subscription B")}`, operationName: "A" },
    /must not stand under @skip or @include/,
  ],
];

describe("graphql/served", () => {
  let stage: LiveStage;
  before(async () => {
    stage = await LiveStage.open();
  });
  after(() => stage.close());

  const answerTo = (body: { readonly query: string; readonly operationName?: string }) =>
    ask(stage.service, { ...body, token: stage.world.plain });

  for (const [name, body, message] of unserved) {
    it(`refuses ${name} over HTTP with 400, and reports why`, async () => {
      const { status, errors } = await answerTo(body);
      assert.equal(status, 400, JSON.stringify(errors));
      assert.match(errors?.[0]?.message ?? "", message);
      assert.equal(errors?.[0]?.extensions.code, "VALIDATION_FAILED");
    });
  }

  for (const query of [CONDITIONAL, NOWHERE]) {
    it(`refuses ${query} over WebSocket, and what else its connection follows goes on`, async () => {
      const step = query.slice(0, 16);
      const follows = `subscription { jobProgress(id: ${RUNNING_JOB}) { step } }`;
      const listener = stage.listen(stage.world.plain, follows);
      await listener.next();
      const { message, extensions } = await listener.also(query).refused();
      assert.match(message, /must not stand under @skip or @include/);
      assert.equal(extensions.code, "VALIDATION_FAILED");
      await stage.sql(`update job set step = $2 where id = $1`, [RUNNING_JOB, step]);
      assert.deepEqual(await listener.next(), { jobProgress: { step: step } });
    });
  }

  it("answers the operation that is named", async () => {
    const { data } = await answerTo({ query: TWO, operationName: "B" });
    assert.deepEqual(data, { __typename: "Query" });
  });

  it("answers a query that only looks like a subscription", async () => {
    const query = "{ ...F @skip(if: false) } fragment F on Query { subscription: __typename }";
    assert.deepEqual((await answerTo({ query })).data, { subscription: "Query" });
  });

  it("leaves a document that cannot be parsed to the code that reports it", async () => {
    const { status, errors } = await answerTo({ query: "subscription { a @skip" });
    assert.equal(status, 400);
    assert.match(errors?.[0]?.message ?? "", /^Syntax Error/);
  });
});
