// Dear work waits its turn, and is refused when too much waits.
import assert from "node:assert/strict";
import { Turns } from "../../src/access/turns.js";
import { refusedAs } from "../support/refusal.js";

describe("access/turns", () => {
  it("does as much at once as it may, the rest in order, and refuses what is beyond", async () => {
    const turns = new Turns({ atOnce: 2, mostWaiting: 2 });
    const begun: number[] = [];
    const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
    const works = gates.map((gate, index) =>
      turns.take(async () => {
        begun.push(index);
        await gate.promise;
        return index;
      }),
    );
    await refusedAs(
      "unavailable",
      turns.take(() => Promise.resolve()),
    );
    assert.deepEqual(begun, [0, 1]);
    gates[1]?.resolve();
    assert.equal(await works[1], 1);
    gates[0]?.resolve();
    gates[2]?.resolve();
    gates[3]?.resolve();
    assert.deepEqual(await Promise.all(works), [0, 1, 2, 3]);
    assert.deepEqual(begun, [0, 1, 2, 3]);
    assert.equal(await turns.take(() => Promise.resolve("free again")), "free again");
  });

  it("gives a turn back that failed", async () => {
    const turns = new Turns({ atOnce: 1, mostWaiting: 0 });
    await assert.rejects(
      turns.take(() => Promise.reject(new Error("no"))),
      /no/,
    );
    assert.equal(await turns.take(() => Promise.resolve(1)), 1);
  });
});
