// What waits for a slow subscriber stays small, and a subscriber who waits can always be ended.
import assert from "node:assert/strict";
import { ChangedIds } from "../../resolvers/changedIds.js";

describe("resolvers/changedIds", () => {
  it("keeps an id once, however often it changes before it is taken", async () => {
    const changed = new ChangedIds();
    for (let round = 0; round < 1000; round++) changed.add([1, 2, 3]);
    assert.deepEqual(await changed.take(100), [1, 2, 3]);
  });

  it("takes no more than asked for, in the order of the first change", async () => {
    const changed = new ChangedIds();
    changed.add([5, 3, 4, 3]);
    assert.deepEqual(await changed.take(2), [5, 3]);
    changed.add([5]);
    assert.deepEqual(await changed.take(2), [4, 5]);
  });

  it("waits for a change", async () => {
    const changed = new ChangedIds();
    const taken = changed.take(10);
    changed.add([7]);
    assert.deepEqual(await taken, [7]);
  });

  it("ends who waits, and gives nothing afterwards", async () => {
    const changed = new ChangedIds();
    const taken = changed.take(10);
    changed.close();
    assert.deepEqual(await taken, []);
    changed.add([1]);
    assert.deepEqual(await changed.take(10), []);
  });
});
