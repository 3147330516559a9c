// What a broken transfer leaves on the target, while others make volumes there or take its incomplete guest in hand.
import assert from "node:assert/strict";
import { runJob } from "../../../jobs/engine/executor.js";
import type { Hypervisor } from "../../../src/hypervisor/hypervisor.js";
import { platformError, PlatformReason } from "../../../src/hypervisor/platformError.js";
import { removeGuest } from "../../../simulator/scenarios/placeGuest.js";
import { changedHosts } from "../changedHosts.js";
import { retry } from "./faults.js";
import {
  addStorage,
  executorFor,
  guestOn,
  leftovers,
  migrationRow,
  NOTHING_LEFT,
  openMoveStage,
  placeAndSync,
  queueMove,
  run,
  type MoveStage,
  type QueuedMove,
} from "./stage.js";
import { breakHalfway, killTasks, machine, putVolume, volumesOf } from "./volumes.js";

type Change = (host: Hypervisor) => Partial<Hypervisor>;

const LONG_AGO = 1;

const forbid = (): Promise<never> => Promise.reject(platformError(PlatformReason.FORBIDDEN, "Permission check failed"));

/** Runs a job on hosts of which some doings are changed. */
const workWith =
  (change: Change, stopping = new AbortController()) =>
  ({ services }: MoveStage, jobId: number): Promise<void> => {
    const hypervisors = changedHosts(services.hypervisors, change);
    return runJob({ ...executorFor({ ...services, hypervisors }), stopping: stopping.signal }, jobId);
  };

describe("what a broken transfer leaves on the target", function () {
  this.timeout(300_000);
  let stage: MoveStage;
  let vmid = 6100;
  before(async () => {
    stage = await openMoveStage();
    await addStorage(stage, stage.target, { name: "spare", type: "dir", totalGib: 4 });
  });
  after(() => stage.close());
  beforeEach(() => {
    vmid++;
  });

  const queued = async (): Promise<QueuedMove> =>
    queueMove(stage, await placeAndSync(stage, { type: "qemu", vmid, status: "stopped", config: machine(vmid) }));

  it("is removed beside a volume of another guest that was made on the same storage meanwhile", async () => {
    const move = await queued();
    // Beside a volume that is not the move's, the move's own are removed one by one.
    putVolume(stage, vmid, { storage: "spare" });
    const other = vmid + 1000;
    const row = await breakHalfway(stage, move, {
      vmid,
      count: 3,
      how: () => {
        putVolume(stage, other, { ctime: stage.target.host.platform.clock.seconds() });
        killTasks(stage);
      },
    });
    assert.doesNotMatch(String(row["error"]), /left behind/);
    assert.deepEqual(volumesOf(stage, vmid), [`spare:${vmid}/vm-${vmid}-disk-0.qcow2`]);
    assert.deepEqual(volumesOf(stage, other), [`local:${other}/vm-${other}-disk-0.qcow2`]);
  });

  it("is removed without a volume of its VMID that is older than the transfer, which is named", async () => {
    const move = await queued();
    const older = `${vmid}/vm-${vmid}-disk-7.qcow2`;
    const row = await breakHalfway(stage, move, {
      vmid,
      how: () => {
        putVolume(stage, vmid, { name: older, ctime: LONG_AGO });
        killTasks(stage);
      },
    });
    assert.deepEqual([guestOn(stage.target, vmid), volumesOf(stage, vmid)], [undefined, [`local:${older}`]]);
    assert.ok(String(row["error"]).endsWith(`; left behind: local:${older} on node pveb, which no guest has`));
  });

  const isThere = (): boolean => guestOn(stage.target, vmid) !== undefined;

  it("takes no volume of another user with it when the target does not show which volumes there are", async () => {
    const move = await queued();
    putVolume(stage, vmid, { storage: "spare" });
    const work = workWith((host) => ({ volumes: (...call) => (isThere() ? forbid() : host.volumes(...call)) }));
    const row = await breakHalfway(stage, move, { vmid, count: 3, how: killTasks, work });
    assert.equal(isThere(), false);
    const own = [`local:${vmid}/vm-${vmid}-cloudinit.qcow2`, `local:${vmid}/vm-${vmid}-disk-0.qcow2`];
    assert.deepEqual(volumesOf(stage, vmid), [...own, `spare:${vmid}/vm-${vmid}-disk-0.qcow2`]);
    assert.match(String(row["error"]), /; left behind: local:\S+, local:\S+ on node pveb, which no guest has$/);
  });

  it("stays on record as the move's own when a second attempt to remove it is shown no volumes", async () => {
    const move = await queued();
    putVolume(stage, vmid, { storage: "spare" });
    let attempts = 0;
    const work = workWith((host) => ({
      deleteVolume: forbid,
      volumes: (...call) => (attempts > 0 && isThere() ? forbid() : host.volumes(...call)),
      destroy: (...call) =>
        attempts++ === 0
          ? Promise.reject(platformError(PlatformReason.UNREACHABLE, "the host is away"))
          : host.destroy(...call),
    }));
    const row = await breakHalfway(stage, move, { vmid, count: 3, how: killTasks, work });
    assert.match(String(row["error"]), /; left behind: local:\S+, local:\S+ on node pveb, which no guest has$/);
    assert.equal(attempts, 2);
    const again = await retry(stage, move);
    assert.deepEqual([again["status"], again["error"]], ["done", null]);
  });

  /** Does something by hand right after the last look at where the guest is, before the incomplete one is removed. */
  const withHand =
    (act: () => unknown, more: Partial<Hypervisor> = {}): Change =>
    (host) => ({
      ...more,
      guestStatus: async (guest) => {
        const seen = await host.guestStatus(guest);
        if (guest.node === stage.target.node && (await isRemoving())) act();
        return seen;
      },
    });

  const isRemoving = async (): Promise<boolean> => {
    const { rowCount } = await stage.services.pool.query(
      `select from job where status = 'running' and facts->>'undoing' = $1`,
      [`removing what the transfer left of guest ${vmid} on node ${stage.target.node}`],
    );
    return rowCount !== 0;
  };

  it("is none when another user removes the incomplete guest at the same time", async () => {
    const move = await queued();
    let removed = 0;
    const work = workWith(withHand(() => removed++ === 0 && removeGuest(stage.target.host.platform, vmid)));
    const row = await breakHalfway(stage, move, { vmid, how: killTasks, work });
    assert.ok(removed > 0);
    assert.equal(row["status"], "failed");
    assert.doesNotMatch(String(row["error"]), /left behind/);
    assert.equal(guestOn(stage.source, vmid)?.config["lock"], undefined);
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
  });

  it("is left to people by the worker that takes the job over, once another user has unlocked the incomplete guest", async () => {
    const move = await queued();
    const stopping = new AbortController();
    const stop = (): Promise<never> => {
      stopping.abort();
      return Promise.reject(platformError(PlatformReason.UNREACHABLE, "the worker stops"));
    };
    const unlock = (): unknown => delete guestOn(stage.target, vmid)?.config["lock"];
    const work = workWith(withHand(unlock, { destroy: stop }), stopping);
    const interrupted = await breakHalfway(stage, move, { vmid, how: killTasks, work });
    assert.equal(interrupted["status"], "running");
    await run(stage, move.jobId);
    const { status, error } = await migrationRow(stage, move.migrationId);
    assert.equal(status, "failed");
    assert.match(
      String(error),
      new RegExp(`; left behind: guest ${vmid} on node pvea: where the guest is must be looked at on both hosts$`),
    );
    assert.equal(isThere(), true);
  });
});
