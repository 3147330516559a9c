// Answers to requests for temporary tokens that overtake each other: the latest request counts, and a worker that died costs nothing.
import assert from "node:assert/strict";
import { runJob } from "../../../jobs/engine/executor.js";
import { syncHostNow } from "../../../src/actions/host/host.js";
import { control } from "../../inventory/support/control.js";
import { contextFor } from "../../support/viewers.js";
import { changedHosts } from "../changedHosts.js";
import {
  executorFor,
  leftovers,
  migrationRow,
  moveInput,
  NOTHING_LEFT,
  openMoveStage,
  placeAndSync,
  plan,
  queueMove,
  run,
  type MoveStage,
  type QueuedMove,
} from "./stage.js";

/** A worker that has the target's answer to its request for a token, and does nothing with it yet. */
interface HeldWorker {
  readonly answered: Promise<void>;
  goOn(): Promise<void>;
}

describe("two requests for temporary tokens at once", function () {
  this.timeout(300_000);
  let stage: MoveStage;
  let guestIds: number[];
  beforeEach(async () => {
    stage = await openMoveStage();
    guestIds = [];
    for (const vmid of [101, 102, 103])
      guestIds.push(await placeAndSync(stage, { type: "qemu", vmid, status: "stopped" }));
  });
  afterEach(() => stage.close());

  const refuseOnce = (): Promise<unknown> =>
    control(stage.target.host.control).post("/faults", {
      method: "POST",
      path: "/access/users/.*/token/",
      times: 1,
      effect: "status",
      status: 403,
      message: "no tokens here",
    });

  const queue = (index: number): Promise<QueuedMove> => queueMove(stage, guestIds[index] ?? 0);
  const statusOf = async ({ migrationId }: QueuedMove): Promise<unknown> =>
    (await migrationRow(stage, migrationId))["status"];

  const runHeld = ({ jobId }: QueuedMove): HeldWorker => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const { promise: goesOn, resolve: goOn } = Promise.withResolvers<void>();
    const hypervisors = changedHosts(stage.services.hypervisors, (host) => ({
      createToken: async (...call) => {
        try {
          return await host.createToken(...call);
        } finally {
          answer();
          await goesOn;
        }
      },
    }));
    const ended = runJob(executorFor({ ...stage.services, hypervisors }, "held"), jobId);
    return {
      answered,
      goOn() {
        goOn();
        return ended;
      },
    };
  };

  const codes = async (): Promise<string[]> =>
    (await plan(stage, moveInput(stage, guestIds[2] ?? 0))).problems.map(({ code }) => code);

  it("pass further plans when the later one is granted, although the refusal is recorded last", async () => {
    const [first, second] = [await queue(0), await queue(1)];
    await refuseOnce();
    const held = runHeld(first);
    await held.answered;
    await run(stage, second.jobId);
    await held.goOn();
    assert.deepEqual([await statusOf(first), await statusOf(second)], ["failed", "done"]);
    assert.deepEqual(await codes(), []);
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
  });

  it("block further plans when the later one is refused, although the success is recorded last", async () => {
    const [first, second] = [await queue(0), await queue(1)];
    const held = runHeld(first);
    await held.answered;
    await refuseOnce();
    await run(stage, second.jobId);
    await held.goOn();
    assert.deepEqual([await statusOf(first), await statusOf(second)], ["done", "failed"]);
    assert.deepEqual(await codes(), ["TARGET_TOKEN_REFUSED"]);
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
  });

  it("leave nothing to remember when the host is synced on request before the refusal is recorded", async () => {
    const move = await queue(0);
    await refuseOnce();
    const held = runHeld(move);
    await held.answered;
    await syncHostNow(await contextFor(stage.services), stage.target.hostId);
    await held.goOn();
    assert.equal(await statusOf(move), "failed");
    assert.deepEqual(await codes(), []);
  });

  /** A worker has the refusal, and its lease runs out. */
  const stalled = async (move: QueuedMove): Promise<HeldWorker> => {
    await refuseOnce();
    const held = runHeld(move);
    await held.answered;
    await stage.services.pool.query(`update job set lease_until = now() - interval '1 second' where id = $1`, [
      move.jobId,
    ]);
    return held;
  };

  it("are those of a worker that died with the refusal and of its successor, which is granted one", async () => {
    const move = await queue(0);
    const held = await stalled(move);
    await run(stage, move.jobId);
    assert.equal(await statusOf(move), "done");
    await held.goOn();
    assert.equal(await statusOf(move), "done");
    assert.deepEqual(await codes(), []);
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
  });

  it("are those of a worker that died with the refusal and of its successor, which remembers its own", async () => {
    const move = await queue(0);
    const held = await stalled(move);
    await refuseOnce();
    await run(stage, move.jobId);
    assert.equal(await statusOf(move), "failed");
    const { rows: remembered } = await stage.services.pool.query(`select * from token_refusal`);
    await held.goOn();
    assert.deepEqual((await stage.services.pool.query(`select * from token_refusal`)).rows, remembered);
    assert.deepEqual(await codes(), ["TARGET_TOKEN_REFUSED"]);
  });
});
