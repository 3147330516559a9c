// Wake-ups that come while an entry is being stored: they share the next one, none is lost on the way, and no more wait than may.
import assert from "node:assert/strict";
import { WakeUps } from "../../../jobs/queue/wakeUps.js";

describe("jobs/queue/wakeUps", () => {
  let stored: [queue: string, jobs: readonly number[]][];
  let gate: PromiseWithResolvers<void>;
  let lost: unknown[];
  let wakeUps: WakeUps<"moves" | "creations", number>;
  beforeEach(() => {
    [stored, lost, gate] = [[], [], Promise.withResolvers<void>()];
    wakeUps = new WakeUps<"moves" | "creations", number>(
      async (queue, jobs) => {
        stored.push([queue, [...jobs]]);
        await gate.promise;
      },
      (error) => lost.push(error),
    );
  });

  it("are stored at once, those that come meanwhile together, each queue for itself", async () => {
    wakeUps.add("moves", 1);
    assert.deepEqual(stored, [["moves", [1]]]);
    for (const job of [2, 3, 4]) wakeUps.add("moves", job);
    for (const job of [5, 6]) wakeUps.add("creations", job);
    assert.equal(stored.length, 1, "one entry a time");
    gate.resolve();
    await wakeUps.stored();
    assert.deepEqual(stored.slice(1), [
      ["moves", [2, 3, 4]],
      ["creations", [5, 6]],
    ]);
    wakeUps.add("moves", 7);
    await wakeUps.stored();
    assert.deepEqual(stored.at(-1), ["moves", [7]]);
  });

  it("wait up to a thousand a queue, and are dropped beyond", async () => {
    wakeUps.add("moves", 0);
    for (let job = 1; job <= 1001; job++) wakeUps.add("moves", job);
    gate.resolve();
    await wakeUps.stored();
    const waited = stored.at(-1)?.[1] ?? [];
    assert.deepEqual([waited.length, waited[0], waited.at(-1)], [1000, 1, 1000]);
  });

  it("that cannot be stored are reported, and keep no others from the storage", async () => {
    const refused = new Error("the storage is away");
    gate.reject(refused);
    wakeUps.add("moves", 1);
    wakeUps.add("moves", 2);
    await wakeUps.stored();
    assert.deepEqual(
      [stored.map(([, jobs]) => jobs), lost],
      [
        [[1], [2]],
        [refused, refused],
      ],
    );
  });
});
