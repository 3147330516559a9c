// What a source answers never widens what the temporary token may do on the target.
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { tokensOrdered } from "./connectedAs.js";
import { breakRequests } from "./faults.js";
import { migrationRow, openMoveStage, placeAndSync, queueMove, run, type MoveStage, type QueuedMove } from "./stage.js";

describe("a move from a compromised source", function () {
  this.timeout(120_000);
  let stage: MoveStage;
  before(async () => {
    stage = await openMoveStage();
  });
  after(() => stage.close());

  const stepIsRunning = async ({ jobId }: QueuedMove, step: string): Promise<boolean> => {
    const { rowCount } = await stage.services.pool.query(
      `select from job_step where job_id = $1 and name = $2 and status = 'running'`,
      [jobId, step],
    );
    return rowCount !== 0;
  };

  /** Does something between the checks of a move and its token: the source's agent answers no earlier. */
  const afterChecks = async (move: QueuedMove, work: () => Promise<void>): Promise<void> => {
    stage.silent.add(stage.source.node);
    const running = run(stage, move.jobId);
    while (!(await stepIsRunning(move, "reachability"))) await delay(10);
    await work();
    stage.silent.delete(stage.source.node);
    await running;
  };

  it("gets no unrestricted token by refusing to tell the guest's configuration", async () => {
    const guestId = await placeAndSync(stage, { type: "qemu", vmid: 101, status: "stopped" });
    const move = await queueMove(stage, guestId);
    await afterChecks(move, () =>
      breakRequests(stage.source, {
        method: "GET",
        path: "/qemu/101/config",
        status: 403,
        message: "Permission check failed (/vms/101, VM.Audit)",
        times: 3,
      }),
    );
    const ordered = await tokensOrdered(stage.target);
    assert.deepEqual(new Set(ordered), new Set(["1"]), JSON.stringify(await migrationRow(stage, move.migrationId)));
  });
});
