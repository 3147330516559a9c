// Keeping a lease: renewed within its term, through failures of the database, until it is lost or the work ends.
import assert from "node:assert/strict";
import { claim, claimDue, keepLease } from "../../../jobs/engine/lease.js";
import { JobKind } from "../../../src/core/enums.js";
import type { Claimant } from "../../../src/store/job/lease.js";
import { eventually } from "../../support/eventually.js";
import { MemoryStore, memoryServices } from "./memory.js";

const LEASE = { id: 1, leaseEpoch: 1 };

describe("jobs/engine/lease", () => {
  let store: MemoryStore;
  beforeEach(() => {
    store = new MemoryStore();
  });
  const leasing = (leaseSeconds = 0.03) => {
    const services = memoryServices();
    return { services: { ...services, config: { ...services.config, leaseSeconds } }, store, worker: "mine" };
  };
  /** Keeps the lease while `work` goes on. @returns how often it was lost */
  const keeping = async (work: () => Promise<void>, leaseSeconds?: number): Promise<number> => {
    store.add({ status: "running", leaseEpoch: 1 });
    const ended = new AbortController();
    let losses = 0;
    const kept = keepLease(leasing(leaseSeconds), LEASE, { held: ended.signal, lost: () => void losses++ });
    await work();
    ended.abort();
    await kept;
    return losses;
  };
  const renewals = (): number => store.writes.filter((write) => write === "renew").length;

  it("claims on the worker's terms: its name, the term, and the versions that it reads", async () => {
    let seen: readonly [Claimant, number] | undefined;
    store.claim = async (...given) => {
      seen = given;
      return null;
    };
    await claim(leasing(30), 7);
    const [claimant, id] = seen ?? assert.fail();
    assert.deepEqual([claimant.worker, claimant.leaseSeconds, id], ["mine", 30, 7]);
    assert.ok((claimant.readable.get(JobKind.MIGRATION) ?? 0) > 0);
  });

  it("claims at most as many jobs as are wanted, and none that is excepted", async () => {
    for (let made = 0; made < 4; made++) store.add();
    const claims = await claimDue(leasing(), { kinds: [], most: 2, except: [1] });
    assert.deepEqual(
      claims.map(({ id }) => id),
      [2, 3],
    );
  });

  it("renews a lease as long as the work goes on", async () => {
    assert.equal(await keeping(() => eventually(async () => assert.ok(renewals() >= 3))), 0);
    const before = renewals();
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(renewals(), before);
  });

  it("renews nothing before a third of the term has passed", async () => {
    await keeping(() => new Promise((resolve) => setTimeout(resolve, 60)), 0.3);
    assert.equal(renewals(), 0);
  });

  it("notices once that another worker has the lease, and renews no further", async () => {
    const losses = await keeping(async () => {
      store.takeOver(LEASE);
      await eventually(async () => assert.equal(renewals(), 1));
      await new Promise((resolve) => setTimeout(resolve, 50));
    });
    assert.deepEqual([losses, renewals()], [1, 1]);
  });

  it("goes on renewing while the database is away", async () => {
    let failures = 0;
    store.before = () => {
      if (++failures <= 2) throw new Error("Connection terminated unexpectedly");
    };
    assert.equal(await keeping(() => eventually(async () => assert.ok(renewals() >= 4))), 0);
  });
});
