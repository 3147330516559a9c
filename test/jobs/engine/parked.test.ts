// A creation whose stored JSON cannot be read: it is parked, touches nothing, keeps what it holds, and waits for an operator.
import assert from "node:assert/strict";
import { giveUpJob, retryJob } from "../../../src/actions/job/parkedJob.js";
import { runJob } from "../../../jobs/engine/executor.js";
import { sweep } from "../../../jobs/periodic/sweep.js";
import { refusedAs } from "../../support/refusal.js";
import { planted } from "../../support/rows.js";
import { contextFor } from "../../support/viewers.js";
import { holdings, jobRow, machineRequest, openStage, queueGuest, type Stage } from "../creation.js";
import { executorFor } from "../killing.js";

describe("a creation that cannot be read", () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage.close());

  const work = (jobId: number): Promise<void> => runJob(executorFor(stage.services, "test"), jobId);
  const store = (jobId: number, input: object): Promise<unknown> =>
    stage.services.pool.query(`update job set input = $2 where id = $1`, [jobId, JSON.stringify(input)]);
  const requests = (): number => stage.host.platform.tasks.archive().length;

  /** @returns the job, parked, with what it had stored */
  const park = async (vmid: number): Promise<{ jobId: number; input: object }> => {
    const { jobId } = await queueGuest(stage, machineRequest(stage, { vmid, memoryMb: 64, diskGb: 2 }));
    const { input } = await jobRow(stage, jobId);
    assert.ok(typeof input === "object" && input !== null);
    await store(jobId, { ...input, network: "vmbr0" });
    await work(jobId);
    return { jobId, input };
  };

  it("fails with a plain reason, touches nothing, and keeps what it holds and its secrets", async () => {
    const before = requests();
    const { jobId } = await park(400);
    const job = await jobRow(stage, jobId);
    assert.equal(job["status"], "failed");
    assert.match(
      String(job["error"]),
      /^this version cannot read what the job has stored \(input\.network: .*\): nothing was done, and all that the job held is kept/,
    );
    assert.equal(requests(), before);
    assert.notEqual(job["secrets_encrypted"], null);
    await sweep(stage.services);
    assert.equal(await holdings(stage), 2, "its lock and its VMID");
    const context = await contextFor(stage.services);
    assert.equal((await refusedAs("conflict", retryJob(context, jobId))).reason, "UNREADABLE");
    await giveUpJob(context, jobId);
    const given = await jobRow(stage, jobId);
    assert.match(String(given["error"]), /; given up by an operator; what it had begun on its hosts is left as it is$/);
    assert.deepEqual([given["status"], given["parked_at"], given["secrets_encrypted"]], ["failed", null, null]);
    assert.equal(await holdings(stage), 0);
    assert.equal((await refusedAs("conflict", giveUpJob(context, jobId))).reason, "NOT_PARKED");
  });

  it("goes on where it stood once it can be read", async () => {
    const { jobId, input } = await park(401);
    await store(jobId, input);
    await retryJob(await contextFor(stage.services), jobId);
    await work(jobId);
    const { status, error } = await jobRow(stage, jobId);
    assert.deepEqual([status, error], ["done", null]);
    assert.notEqual(stage.host.platform.state.guests.get(401)?.runtime ?? null, null);
    assert.equal(await holdings(stage), 0);
  });

  it("is neither retried nor given up by a user who may not manage hosts", async () => {
    const { jobId } = await park(402);
    const bob = await planted(stage.services.pool, "user_account", { username: "bob" });
    const customer = {
      ...(await contextFor(stage.services)),
      viewer: {
        kind: "user" as const,
        mustSetUp: false,
        userId: bob.id,
        username: "bob",
        role: "customer" as const,
        permissions: new Set<never>(),
        hostIds: null,
        sessionId: 0,
      },
    };
    for (const act of [retryJob, giveUpJob]) await refusedAs("forbidden", act(customer, jobId));
    await giveUpJob(await contextFor(stage.services), jobId);
  });
});
