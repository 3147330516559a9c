// The fences of the work on moves and clones: a worker whose lease went to another, or whose job has ended, writes nothing of it.
import assert from "node:assert/strict";
import { JobContext } from "../../jobs/engine/context.js";
import { claim } from "../../jobs/engine/lease.js";
import { openClaim } from "../../jobs/engine/openClaim.js";
import { Fenced } from "../../jobs/engine/step.js";
import { inTurn } from "../../jobs/guest/cloneTurn.js";
import { markMoved } from "../../jobs/migration/commitPoint.js";
import { followTransfer } from "../../jobs/migration/followTransfer.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import { plant } from "../support/rows.js";
import { createTestServices, type TestServices } from "../support/services.js";
import { executorFor } from "./killing.js";
import { MOVE } from "./plannedMove.js";
import { differences, tablesOf } from "./tables.js";

/** A source whose transfer has copied all and ended well. */
const copiedAll: Pick<Hypervisor, "watchTransfer"> = {
  watchTransfer: () => ({
    look: () =>
      Promise.resolve({
        copied: 4096,
        log: ["all copied"],
        hasGrown: true,
        receivedBy: null,
        end: { succeeded: true, isKnown: true, reason: "OK", failure: null },
      }),
  }),
};

const TEMPLATE = { kind: "template", node: "pve1", vmid: 9000 } as const;

const WRITES: Readonly<Record<string, (context: JobContext) => Promise<unknown>>> = {
  "that the guest is on the target": markMoved,
  "how far the transfer is": (context) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else is asked
    followTransfer(context, copiedAll as Hypervisor, "UPID:pve1:1"),
};

/** What becomes of the job of a worker that holds it. */
const FATES: Readonly<Record<string, string>> = {
  "another worker has taken it over": `lease_epoch = lease_epoch + 1, reads = version`,
  "it has ended": `status = 'done', lease_until = null, worker = null, finished_at = now()`,
};

describe("the fences of moves and clones", () => {
  let services: TestServices;
  let context: JobContext;
  beforeEach(async () => {
    services = await createTestServices();
    await plant(services.pool, {
      host: [{}, { name: "beta" }],
      node: [{}, { host_id: 2, name: "pve2" }],
      guest: [{}],
      job: [{ kind: "migration", input: JSON.stringify(MOVE) }],
      migration: [{ job_id: 1, bytes_total: 4096 }],
    });
    const worker = executorFor(services, "mine");
    const claimed = await claim(worker, 1);
    const job = (claimed && (await openClaim(worker, claimed))) ?? assert.fail("the job cannot be claimed");
    context = new JobContext(worker, job, new AbortController().signal);
  });
  afterEach(() => services.close());

  /** Names of the tables that the work changes. */
  const changedBy = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
    const before = await tablesOf(services.pool);
    await work();
    return Object.keys(differences(before, await tablesOf(services.pool)));
  };

  for (const [fate, sql] of Object.entries(FATES)) {
    it(`keep a worker from a clone when ${fate}`, async () => {
      await services.pool.query(`update job set ${sql}`);
      const clone = inTurn.bind(null, context, TEMPLATE, () => assert.fail("cloned"));
      assert.deepEqual(await changedBy(() => assert.rejects(clone, Fenced)), []);
    });
  }

  it("let a worker clone that holds the job", async () => {
    assert.equal(await inTurn(context, TEMPLATE, () => Promise.resolve("cloned")), "cloned");
  });

  for (const [what, write] of Object.entries(WRITES)) {
    for (const [fate, sql] of Object.entries(FATES)) {
      it(`keep a worker from writing ${what} when ${fate}`, async () => {
        await services.pool.query(`update job set ${sql}`);
        assert.deepEqual(await changedBy(() => assert.rejects(write(context), Fenced)), []);
      });
    }

    it(`let a worker write ${what} that holds the job`, async () => {
      assert.notDeepEqual(await changedBy(() => write(context)), []);
    });
  }
});
