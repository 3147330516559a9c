// Keeping a lease: renewed within its term, through failures of the database, until it is lost or the work ends.
import assert from "node:assert/strict";
import { claim, claimDue, keepLease } from "../../../jobs/engine/lease.js";
import { JobKind } from "../../../src/core/enums.js";
import type { Claimant } from "../../../src/store/job/claim.js";
import { HandTime } from "../../support/handTime.js";
import { MemoryStore, memoryServices } from "./memory.js";

const LEASE = { id: 1, leaseEpoch: 1 };
/** Of the term of `memoryServices`. */
const THIRD_MS = 10_000;

describe("jobs/engine/lease", () => {
  let store: MemoryStore;
  let time: HandTime;
  beforeEach(() => {
    store = new MemoryStore();
    time = new HandTime();
  });
  const leasing = () => ({ services: memoryServices(), store, worker: "mine", stopwatch: time });
  /** Keeps the lease while `work` goes on. @returns how often it was lost */
  const keeping = async (work: () => Promise<void>): Promise<number> => {
    store.add({ status: "running", leaseEpoch: 1 });
    const ended = new AbortController();
    let losses = 0;
    const kept = keepLease(leasing(), LEASE, { held: ended.signal, lost: () => void losses++ });
    await work();
    ended.abort();
    await kept;
    return losses;
  };
  /** Lets a third of the term go by, once the next renewal waits for it. */
  const passThird = async (): Promise<void> => {
    await time.waitsFor(THIRD_MS);
    time.move(THIRD_MS);
  };
  const renewals = (): number => store.writes.filter((write) => write === "renew").length;

  it("claims on the worker's terms: its name, the term, and the versions that it reads", async () => {
    let seen: readonly [Claimant, number] | undefined;
    store.claim = async (...given) => {
      seen = given;
      return null;
    };
    await claim(leasing(), 7);
    const [claimant, id] = seen ?? assert.fail();
    assert.deepEqual([claimant.worker, claimant.leaseSeconds, id], ["mine", 30, 7]);
    assert.ok((claimant.readable.get(JobKind.MIGRATION) ?? 0) > 0);
  });

  it("claims at most as many jobs as are requested, and none that is excepted", async () => {
    for (let made = 0; made < 4; made++) store.add();
    const claims = await claimDue(leasing(), { kinds: [], most: 2, except: [1] });
    assert.deepEqual(
      claims.map(({ id }) => id),
      [2, 3],
    );
  });

  it("renews a lease each time a third of its term has passed, as long as the work goes on", async () => {
    const losses = await keeping(async () => {
      for (const sofar of [0, 1, 2]) {
        await time.waitsFor(THIRD_MS);
        time.move(THIRD_MS - 1);
        assert.equal(renewals(), sofar);
        time.move(1);
      }
      await time.waitsFor(THIRD_MS);
      assert.equal(renewals(), 3);
    });
    await time.waitsFor(THIRD_MS, 0);
    assert.deepEqual([losses, renewals()], [0, 3]);
  });

  it("notices once that another worker has the lease, and renews no further", async () => {
    const losses = await keeping(async () => {
      store.takeOver(LEASE);
      await passThird();
      await time.waitsFor(THIRD_MS, 0);
    });
    assert.deepEqual([losses, renewals()], [1, 1]);
  });

  it("goes on renewing while the database is away", async () => {
    let failures = 0;
    store.before = () => {
      if (++failures <= 2) throw new Error("Connection terminated unexpectedly");
    };
    const losses = await keeping(async () => {
      for (let renewed = 0; renewed < 4; renewed++) await passThird();
      await time.waitsFor(THIRD_MS);
    });
    assert.deepEqual([losses, renewals()], [0, 4]);
  });
});
