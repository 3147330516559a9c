// Ids that wait to be read stay few, and a wait for ids can always be ended.
import assert from "node:assert/strict";
import { ChangedIds, type TakenId } from "../../resolvers/changedIds.js";

/** Longer than any test may take. */
const FOR_EVER_MS = 3_600_000;

const idsOf = async (taking: Promise<TakenId[]>): Promise<number[]> => (await taking).map(({ id }) => id);

describe("resolvers/changedIds", () => {
  it("keeps an id once, however often it changes before it is taken", async () => {
    const changed = new ChangedIds();
    for (let round = 0; round < 1000; round++) changed.add([1, 2, 3]);
    assert.deepEqual(await idsOf(changed.take(100)), [1, 2, 3]);
  });

  it("takes no more than asked for, in the order of the first change", async () => {
    const changed = new ChangedIds();
    changed.add([5, 3, 4, 3]);
    assert.deepEqual(await idsOf(changed.take(2)), [5, 3]);
    changed.add([5]);
    assert.deepEqual(await idsOf(changed.take(2)), [4, 5]);
  });

  it("waits for a change", async () => {
    const changed = new ChangedIds();
    const taken = changed.take(10);
    changed.add([7]);
    assert.deepEqual(await idsOf(taken), [7]);
  });

  it("keeps changes and requests apart, and both when both come", async () => {
    const changed = new ChangedIds();
    changed.request(1);
    changed.add([2, 3]);
    changed.request(3);
    changed.request(4);
    changed.add([4]);
    assert.deepEqual(await changed.take(10), [
      { id: 1, changed: false, requested: true },
      { id: 2, changed: true, requested: false },
      { id: 3, changed: true, requested: true },
      { id: 4, changed: true, requested: true },
    ]);
  });

  it("ends its rest at a request, and when it is closed", async () => {
    const changed = new ChangedIds();
    const resting = changed.rest(FOR_EVER_MS);
    changed.request(1);
    await resting;
    await changed.rest(FOR_EVER_MS);
    await changed.take(1);
    const closed = changed.rest(FOR_EVER_MS);
    changed.close();
    await closed;
  });

  it("ends a wait when it is closed, and gives nothing afterwards", async () => {
    const changed = new ChangedIds();
    const taken = changed.take(10);
    changed.close();
    assert.deepEqual(await taken, []);
    changed.add([1]);
    assert.deepEqual(await changed.take(10), []);
  });
});
