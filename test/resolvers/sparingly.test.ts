// What would be done too often is done at once, then once for all calls that came meanwhile.
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { sparingly } from "../../resolvers/sparingly.js";

describe("sparingly", () => {
  it("runs at once, holds back what follows, and runs the last of that", async () => {
    const done: number[] = [];
    const run = sparingly((figure: number) => done.push(figure), 10);
    for (let figure = 0; figure < 1_000; figure += 1) run(figure);
    assert.deepEqual(done, [0]);
    while (done.length < 2) await delay(1);
    assert.deepEqual(done, [0, 999]);
  });

  it("forgets nothing that is asked for later", async () => {
    const done: number[] = [];
    const run = sparingly((figure: number) => done.push(figure), 1);
    run(1);
    run(2);
    while (done.length < 2) await delay(1);
    run(3);
    while (done.length < 3) await delay(1);
    assert.deepEqual(done, [1, 2, 3]);
  });
});
