// What a claimed job has stored: brought forward on record, parked when it cannot be read, and neither by a worker that lost it.
import assert from "node:assert/strict";
import { openClaim } from "../../../jobs/engine/openClaim.js";
import { Fenced } from "../../../jobs/engine/step.js";
import { versionOf } from "../../../src/job/kinds.js";
import { JobKind } from "../../../src/core/enums.js";
import type { Claim } from "../../../src/store/job/claim.js";
import { keptLog } from "../../support/log.js";
import { MemoryStore } from "./memory.js";

const NOW = versionOf(JobKind.GUEST_DELETE);
const CLAIMANT = { worker: "mine", leaseSeconds: 30, readable: new Map() };

describe("jobs/engine/openClaim", () => {
  let store: MemoryStore;
  let kept: ReturnType<typeof keptLog>;
  beforeEach(() => {
    store = new MemoryStore();
    kept = keptLog();
  });

  const claimOf = async (version: number): Promise<Claim> =>
    (await store.claim(CLAIMANT, store.add({ version }).id)) ?? assert.fail("a new job is not due");
  const open = (job: Claim) => openClaim({ services: { log: kept.log }, store }, job);

  it("is taken as it is in the current version", async () => {
    const job = await claimOf(NOW);
    assert.deepEqual(await open(job), job);
    assert.deepEqual([store.writes, kept.lines], [[], []]);
  });

  it("is brought forward from an earlier version, which is recorded", async () => {
    const job = await claimOf(NOW - 1);
    assert.equal((await open(job))?.id, job.id);
    assert.deepEqual([store.writes, kept.lines], [["bringForward"], []]);
  });

  it("is parked in a version that is not known, with a line of the log", async () => {
    assert.equal(await open(await claimOf(NOW + 1)), null);
    assert.deepEqual([store.writes, kept.lines], [["park"], ["error: job parked"]]);
    assert.match(
      store.jobs.get(1)?.error ?? "",
      /^this version cannot read what the job has stored \(it is of version/,
    );
  });

  it("is neither brought forward nor parked by a worker that has lost it", async () => {
    for (const version of [NOW - 1, NOW + 1]) {
      const job = await claimOf(version);
      store.takeOver(job);
      await assert.rejects(open(job), Fenced);
    }
    assert.deepEqual(store.writes, ["bringForward", "park"]);
  });
});
