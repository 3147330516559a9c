// Live moves that are cut off around the moment at which the machine goes over to the target.
import assert from "node:assert/strict";
import { retryMigration } from "../../../src/actions/migration/retry.js";
import { boot, cutPower } from "../../../simulator/guests/nodePower.js";
import type { SimulatedNode } from "../../../simulator/state/node.js";
import { contextFor } from "../../support/viewers.js";
import {
  guestOn,
  leftovers,
  migrationRow,
  NOTHING_LEFT,
  openMoveStage,
  placeAndSync,
  queueMove,
  run,
  transfersOf,
  type MoveStage,
  type QueuedMove,
  type Side,
} from "./stage.js";
import { until } from "../../support/until.js";

/** Slow enough for each moment of a live move to be seen. */
const SLOW = 2;
const FAST = 500;
/** Bytes a second: a copy does not come to its end by itself. */
const HELD = 1000;

type Moment = (stage: MoveStage, vmid: number) => boolean;

/** The target waits for the machine's memory. */
const isArriving: Moment = ({ target }, vmid) => guestOn(target, vmid)?.runtime?.qmpstatus === "inmigrate";

/** The machine runs on the target already, which nobody has unlocked yet. */
const hasGoneOver: Moment = ({ target }, vmid) =>
  guestOn(target, vmid)?.runtime?.qmpstatus === "running" && guestOn(target, vmid)?.config["lock"] === "migrate";

function nodeOf({ host, node }: Side): SimulatedNode {
  const found = host.platform.state.nodes.get(node);
  if (found === undefined) throw new Error(`there is no node ${node}`);
  return found;
}

const powerCycle = (side: Side): void => {
  cutPower(side.host.platform, nodeOf(side));
  boot(side.host.platform, nodeOf(side));
};

/** Only the task dies; the machine's process stays as it is. */
const killTasks = ({ host, node }: Side): void => host.platform.tasks.killNode(node);

describe("a live move that is cut off at its handover", function () {
  this.timeout(300_000);
  let stage: MoveStage;
  let vmid = 400;
  before(async () => {
    stage = await openMoveStage();
  });
  after(() => stage.close());

  /** Moves a running machine, and cuts the source off at that moment. */
  const cutOff = async (moment: Moment, cut: (side: Side) => void): Promise<QueuedMove> => {
    const move = await queueMove(stage, await placeAndSync(stage, { type: "qemu", vmid, status: "running" }));
    const { clock, tasks } = stage.source.host.platform;
    const { bytesPerSecond } = tasks;
    tasks.bytesPerSecond = HELD;
    const running = run(stage, move.jobId);
    await until("the machine is arriving", () => isArriving(stage, vmid));
    clock.timeFactor = SLOW;
    tasks.bytesPerSecond = bytesPerSecond;
    await until("the moment has come", () => moment(stage, vmid));
    cut(stage.source);
    clock.timeFactor = FAST;
    await running;
    return move;
  };

  const assertMoved = async ({ migrationId }: QueuedMove): Promise<void> => {
    const row = await migrationRow(stage, migrationId);
    assert.deepEqual([row["status"], row["error"], row["transfer_done"]], ["done_with_warnings", null, true]);
    const [there, copy] = [guestOn(stage.target, vmid), guestOn(stage.source, vmid)];
    assert.equal(there?.runtime?.qmpstatus, "running");
    assert.equal(there.config["lock"], undefined);
    assert.equal(copy?.runtime, null, "the original does not run");
    assert.deepEqual([copy.config["lock"], copy.config["tags"]], [undefined, "drover-migrated"]);
    assert.equal(transfersOf(stage, vmid), 1);
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
  };

  afterEach(() => {
    vmid++;
  });

  for (const [what, cut] of [
    ["loses power", powerCycle],
    ["loses the task", killTasks],
  ] as const) {
    it(`keeps the machine that runs on the target when the source ${what} before it has unlocked it`, async () => {
      await assertMoved(await cutOff(hasGoneOver, cut));
    });
  }

  it("is unlocked by a retry when the target's agent was silent", async () => {
    stage.refusing.add("unlock_guest");
    const move = await cutOff(hasGoneOver, powerCycle);
    stage.refusing.delete("unlock_guest");
    assert.equal(guestOn(stage.target, vmid)?.config["lock"], "migrate");
    await retryMigration(await contextFor(stage.services), move.migrationId);
    await run(stage, Number((await migrationRow(stage, move.migrationId))["job_id"]));
    assert.equal((await migrationRow(stage, move.migrationId))["status"], "done");
    assert.equal(guestOn(stage.target, vmid)?.config["lock"], undefined);
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
  });

  it("starts the machine again where it was when the source loses power before that", async () => {
    const { migrationId } = await cutOff(isArriving, powerCycle);
    const row = await migrationRow(stage, migrationId);
    assert.deepEqual([row["status"], row["transfer_done"]], ["failed", false]);
    const source = guestOn(stage.source, vmid);
    assert.equal(source?.runtime?.qmpstatus, "running");
    assert.equal(source.config["lock"], undefined);
    assert.equal(guestOn(stage.target, vmid), undefined);
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
  });
});
