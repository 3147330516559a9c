// A worker that dies before or after any of its writes: whoever comes next finishes the move, with one transfer and one running guest.
import assert from "node:assert/strict";
import { runJob } from "../../../jobs/engine/executor.js";
import { removeGuest } from "../../../simulator/scenarios/placeGuest.js";
import type { Clock } from "../../../src/concurrency/clock.js";
import { dyingPool, losingPool, MOMENTS, stallingPool, type Place } from "../killing.js";
import {
  executorFor,
  guestOn,
  leftovers,
  migrationRow,
  NOTHING_LEFT,
  openMoveStage,
  placeAndSync,
  queueMove,
  run,
  transfersOf,
  type GuestToMove,
  type MoveStage,
  type QueuedMove,
} from "./stage.js";
import { places, triedOf } from "../places.js";

type Kind = Omit<GuestToMove, "vmid">;

const KINDS: readonly Kind[] = [
  { type: "qemu", status: "running" },
  { type: "qemu", status: "stopped" },
  { type: "lxc", status: "running" },
  { type: "lxc", status: "stopped" },
];

/** @returns whether it died; false: it came to the end before that write */
async function killAt(stage: MoveStage, { jobId }: QueuedMove, at: Place): Promise<boolean> {
  const { pool, died } = dyingPool(stage.services.pool, at);
  await runJob(executorFor({ ...stage.services, pool }, "killed"), jobId).catch((error: unknown) => {
    if (!died()) throw error;
  });
  return died();
}

/** @returns whether the connection was lost; false: the worker came to the end before that write */
async function loseAt(stage: MoveStage, { jobId }: QueuedMove, at: Place): Promise<boolean> {
  const { pool, lost } = losingPool(stage.services.pool, at);
  await runJob(executorFor({ ...stage.services, pool }, "cut off"), jobId).catch((error: unknown) => {
    // A claim that is cut off has no job to speak of yet.
    if (!lost()) throw error;
  });
  return lost();
}

/** Takes the guest away when it was moved once. */
async function assertMovedOnce(
  stage: MoveStage,
  move: QueuedMove,
  { where, ...guest }: GuestToMove & { where: string },
) {
  const row = await migrationRow(stage, move.migrationId);
  assert.equal(row["error"], null, where);
  assert.equal(row["status"], "done", where);
  assert.equal(transfersOf(stage, guest.vmid), 1, `${where}: copied once`);
  const [there, copy] = [guestOn(stage.target, guest.vmid), guestOn(stage.source, guest.vmid)];
  assert.equal(there?.runtime != null, guest.status === "running", `${where}: it runs on the target`);
  assert.equal(copy?.runtime, null, `${where}: the original does not`);
  assert.deepEqual([there?.config["lock"], copy?.config["lock"]], [undefined, undefined], where);
  assert.equal(copy?.config["tags"], "drover-migrated", where);
  assert.deepEqual(await leftovers(stage), NOTHING_LEFT, where);
  await assertRecords(stage, guest.vmid, where);
  // Syncs of the guests of earlier rounds would take longer and longer.
  for (const { host } of [stage.source, stage.target]) removeGuest(host.platform, guest.vmid);
}

async function assertRecords(stage: MoveStage, vmid: number, where: string): Promise<void> {
  const { rows } = await stage.services.pool.query(
    `select host_id as "hostId", safety_copy as copy from guest where vmid = $1 and gone_at is null order by host_id`,
    [vmid],
  );
  const { source, target } = stage;
  assert.deepEqual(
    rows,
    [
      { hostId: source.hostId, copy: true },
      { hostId: target.hostId, copy: false },
    ],
    where,
  );
}

/** Whoever comes next comes a while after the lease has ended: by machines' time, which hosts know as well. */
const runLater = (stage: MoveStage, jobId: number): Promise<void> => {
  const laterMs = 2 * stage.services.config.leaseSeconds * 1000;
  const clock: Clock = { offsetSeconds: 0, now: () => new Date(Date.now() + laterMs) };
  return runJob(executorFor({ ...stage.services, clock }, "successor"), jobId);
};

const forgetLease = (stage: MoveStage, jobId: number): Promise<unknown> =>
  stage.services.pool.query(`update job set lease_until = now() - interval '1 second' where id = $1`, [jobId]);

describe("a move whose worker is killed", function () {
  this.timeout(1_800_000);
  let stage: MoveStage;
  let vmid = 1000;
  beforeEach(async () => {
    stage = await openMoveStage();
  });
  afterEach(() => stage.close());

  for (const kind of KINDS) {
    for (const moment of MOMENTS) {
      it(`is finished exactly once: ${kind.status} ${kind.type}, killed ${moment} any write`, async () => {
        let killed = 0;
        for (const write of places()) {
          const guest = { ...kind, vmid: vmid++ };
          const move = await queueMove(stage, await placeAndSync(stage, guest));
          const died = await killAt(stage, move, { write, moment });
          await forgetLease(stage, move.jobId);
          await runLater(stage, move.jobId);
          await assertMovedOnce(stage, move, { ...guest, where: `killed ${moment} write ${write}` });
          if (!died) break;
          killed++;
        }
        assert.ok(killed >= triedOf(20), `the worker was killed at ${killed} places`);
      });
    }
  }

  for (const [moment, type] of [
    ["before", "qemu"],
    ["after", "lxc"],
  ] as const) {
    it(`goes on when its database is lost ${moment} any write: ${type}`, async () => {
      let losses = 0;
      for (const write of places()) {
        const guest = { type, status: "running", vmid: vmid++ } as const;
        const move = await queueMove(stage, await placeAndSync(stage, guest));
        const isLost = await loseAt(stage, move, { write, moment });
        // A claim whose answer was lost is free when its lease has ended; any other is given back.
        if (write === 1) await forgetLease(stage, move.jobId);
        await runLater(stage, move.jobId);
        await assertMovedOnce(stage, move, { ...guest, where: `lost ${moment} write ${write}` });
        if (!isLost) break;
        losses++;
      }
      assert.ok(losses >= triedOf(20), `the database was lost at ${losses} places`);
    });
  }

  it("is fenced off when it comes back after another took over", async () => {
    const guest = { type: "qemu", status: "running", vmid: vmid++ } as const;
    const move = await queueMove(stage, await placeAndSync(stage, guest));
    let taken = 0;
    const pool = stallingPool(
      stage.services.pool,
      (statement) => JSON.stringify(statement).includes("job-task"),
      async () => {
        taken++;
        await stage.services.pool.query(`update job set lease_until = now() - interval '1 second' where id = $1`, [
          move.jobId,
        ]);
        await run(stage, move.jobId);
      },
    );
    await runJob(executorFor({ ...stage.services, pool }, "stalled"), move.jobId);
    assert.equal(taken, 1, "it was overtaken between the order of its transfer and the record of the task");
    await assertMovedOnce(stage, move, { ...guest, where: "overtaken" });
  });
});
