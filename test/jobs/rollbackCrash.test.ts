// A worker that dies before or after any statement outside a transaction while it rolls back: its successor finishes the rollback, and
// repeats no undo that had ended.
import assert from "node:assert/strict";
import { runJob } from "../../jobs/engine/executor.js";
import type { Services } from "../../src/context/context.js";
import { DroverError } from "../../src/errors/errors.js";
import { until } from "../support/until.js";
import { changedHosts } from "./changedHosts.js";
import { holdings, jobRow, machineRequest, openStage, queueGuest, type Stage } from "./creation.js";
import { dyingPool, executorFor, MOMENTS, tasksOf, type Place } from "./killing.js";
import { setSpeed } from "./migration/faults.js";
import {
  guestOn,
  leftovers,
  migrationRow,
  NOTHING_LEFT,
  openMoveStage,
  placeAndSync,
  queueMove,
  type MoveStage,
} from "./migration/stage.js";
import { places, triedOf } from "./places.js";
import { undosOf } from "./undos.js";

/** The write that puts the failure of a job on record. */
const isFailure = (statement: unknown): boolean => JSON.stringify(statement).includes(String.raw`\"failure\":`);

/** When the undos that have ended began, by step: one that is repeated begins later. */
const endedUndos = async ({ pool }: Pick<Services, "pool">, jobId: number): Promise<ReadonlyMap<string, string>> => {
  const { rows } = await pool.query<{ name: string; began: string }>(
    `select name, undo_started_at::text as began from job_step where job_id = $1 and undo_status in ('done', 'kept', 'failed')`,
    [jobId],
  );
  return new Map(rows.map(({ name, began }) => [name, began]));
};

/** Runs a job until its worker is killed in the rollback. @returns whether it got to be killed */
async function killInRollback(services: Services, jobId: number, at: Omit<Place, "behind">): Promise<boolean> {
  const { pool, died } = dyingPool(services.pool, { ...at, behind: isFailure });
  await runJob(executorFor({ ...services, pool }, "killed"), jobId);
  return died();
}

/** The lease of the one that was killed has expired. @returns the steps whose undo had ended, and was repeated all the same */
async function succeed(services: Services, jobId: number): Promise<readonly string[]> {
  await services.pool.query(`update job set lease_until = now() - interval '1 second' where id = $1`, [jobId]);
  const ended = await endedUndos(services, jobId);
  await runJob(executorFor(services, "successor"), jobId);
  const afterwards = await endedUndos(services, jobId);
  return [...ended].flatMap(([name, began]) => (afterwards.get(name) === began ? [] : [name]));
}

/** The steps of a move that leave something. */
const BOTH_UNDONE = ["transfer", "target_token"].map((name) => ({ name, undo: "done", left: null }));

const refuse = (): Promise<never> => Promise.reject(new DroverError("platform", "no more memory"));

describe("a worker that is killed in the rollback", function () {
  this.timeout(1_800_000);

  describe("of a creation", () => {
    let stage: Stage;
    let services: Services;
    let vmid = 1000;
    before(async () => {
      stage = await openStage();
      services = {
        ...stage.services,
        hypervisors: changedHosts(stage.services.hypervisors, () => ({ power: refuse })),
      };
    });
    after(() => stage.close());

    for (const moment of MOMENTS) {
      it(`has a successor that removes the guest once: ${moment} any write`, async () => {
        let killed = 0;
        for (const write of places()) {
          vmid++;
          const { jobId } = await queueGuest(stage, machineRequest(stage, { vmid, memoryMb: 64, diskGb: 2 }));
          const died = await killInRollback(services, jobId, { write, moment });
          const repeated = await succeed(services, jobId);
          const where = `killed ${moment} write ${write}`;
          assert.deepEqual(repeated, [], where);
          const { status, error } = await jobRow(stage, jobId);
          assert.equal(status, "failed", where);
          assert.match(String(error), /: no more memory$/, where);
          assert.deepEqual(await undosOf(services, jobId), [{ name: "create", undo: "done", left: null }], where);
          assert.equal(stage.host.platform.state.guests.get(vmid), undefined, where);
          assert.equal(tasksOf(stage, "qmdestroy", vmid), 1, `${where}: destroyed once`);
          assert.equal(await holdings(stage), 0, where);
          if (!died) break;
          killed++;
        }
        assert.ok(killed >= triedOf(4), `the worker was killed at ${killed} places`);
      });
    }
  });

  describe("of a move", () => {
    let stage: MoveStage;
    let vmid = 1000;
    before(async () => {
      stage = await openMoveStage();
    });
    after(() => stage.close());

    for (const moment of MOMENTS) {
      it(`has a successor that cleans the target and keeps the source: ${moment} any write`, async () => {
        let killed = 0;
        for (const write of places()) {
          const number = vmid++;
          const guestId = await placeAndSync(stage, { type: "qemu", vmid: number, status: "running" });
          const move = await queueMove(stage, guestId);
          await setSpeed(stage.source, { bytesPerSecond: 1e4 });
          const [died] = await Promise.all([
            killInRollback(stage.services, move.jobId, { write, moment }),
            breakTransfer(stage, number),
          ]);
          await setSpeed(stage.source, { bytesPerSecond: 1e9 });
          const repeated = await succeed(stage.services, move.jobId);
          const where = `killed ${moment} write ${write}`;
          assert.deepEqual(repeated, [], where);
          const row = await migrationRow(stage, move.migrationId);
          assert.equal(row["status"], "failed", where);
          assert.doesNotMatch(String(row["error"]), /left behind/, where);
          assert.deepEqual(await undosOf(stage.services, move.jobId), BOTH_UNDONE, where);
          const source = guestOn(stage.source, number);
          assert.deepEqual([source?.runtime !== null, source?.config["lock"]], [true, undefined], where);
          assert.equal(guestOn(stage.target, number), undefined, where);
          assert.deepEqual(await leftovers(stage), NOTHING_LEFT, where);
          if (!died) break;
          killed++;
        }
        assert.ok(killed >= triedOf(10), `the worker was killed at ${killed} places`);
      });
    }
  });
});

/** Breaks a transfer in the middle of it. */
async function breakTransfer(stage: MoveStage, vmid: number): Promise<void> {
  await until("the guest is arriving", () => guestOn(stage.target, vmid));
  stage.source.host.platform.tasks.killNode(stage.source.node);
}
