// What would be done too often is done at once, then once for all calls that came meanwhile.
import assert from "node:assert/strict";
import { sparingly } from "../../resolvers/sparingly.js";
import { until } from "../support/until.js";

describe("sparingly", () => {
  it("runs at once, holds back what follows, and runs the last of that", async () => {
    const done: number[] = [];
    const run = sparingly((figure: number) => done.push(figure), 10);
    for (let figure = 0; figure < 1_000; figure += 1) run(figure);
    assert.deepEqual(done, [0]);
    await until("it has run again", () => done.length === 2);
    assert.deepEqual(done, [0, 999]);
  });

  it("forgets nothing that is asked for later", async () => {
    const done: number[] = [];
    const run = sparingly((figure: number) => done.push(figure), 1);
    run(1);
    run(2);
    await until("it has run again", () => done.length === 2);
    run(3);
    await until("it has run for the last", () => done.length === 3);
    assert.deepEqual(done, [1, 2, 3]);
  });
});
