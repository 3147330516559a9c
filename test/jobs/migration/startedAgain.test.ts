// Incomplete guests on the target that somebody or something starts while a failed move is about to destroy them.
import assert from "node:assert/strict";
import { mock } from "node:test";
import { GuestType } from "../../../src/core/enums.js";
import type { Hypervisor } from "../../../src/hypervisor/hypervisor.js";
import { platformError, PlatformReason } from "../../../src/hypervisor/platformError.js";
import { launchContainerStart } from "../../../simulator/lxc/start.js";
import { launchStart } from "../../../simulator/qemu/start.js";
import { runJob } from "../../../jobs/engine/executor.js";
import { changedHosts } from "../changedHosts.js";
import { setSpeed } from "./faults.js";
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
  type MoveStage,
  type QueuedMove,
} from "./stage.js";
import { until } from "../../support/until.js";

type Change = (host: Hypervisor) => Partial<Hypervisor>;

const KINDS = [
  { type: "qemu", status: "stopped" },
  { type: "qemu", status: "running" },
  { type: "lxc", status: "stopped" },
  { type: "lxc", status: "running" },
] as const;

describe("an incomplete guest on the target that is started while a failed move is about to destroy it", function () {
  this.timeout(300_000);
  let stage: MoveStage;
  let vmid = 4600;
  before(async () => {
    stage = await openMoveStage();
  });
  after(() => stage.close());
  beforeEach(() => {
    vmid++;
  });

  const queued = async (kind: (typeof KINDS)[number]): Promise<QueuedMove> =>
    queueMove(stage, await placeAndSync(stage, { ...kind, vmid }));

  /** The source loses the task of the transfer once something is on the target. */
  const breakTransfer = async (): Promise<void> => {
    await until("something is on the target", () => guestOn(stage.target, vmid));
    stage.source.host.platform.tasks.killNode(stage.source.node);
    await setSpeed(stage.source, { bytesPerSecond: 1e9 });
  };
  const runBroken = async ({ jobId }: QueuedMove, change: Change, stopping = new AbortController()): Promise<void> => {
    await setSpeed(stage.source, { bytesPerSecond: 1e6 });
    const hypervisors = changedHosts(stage.services.hypervisors, change);
    const executor = executorFor({ ...stage.services, hypervisors });
    await Promise.all([runJob({ ...executor, stopping: stopping.signal }, jobId), breakTransfer()]);
  };

  /** Orders a start at the target itself. @returns its UPID */
  const startByHand = (type: GuestType): string => {
    const { host, node } = stage.target;
    const order = { node, vmid, identity: { label: "root@pam" } };
    return type === GuestType.LXC ? launchContainerStart(host.platform, order) : launchStart(host.platform, order);
  };
  const startedByHand = async (type: GuestType): Promise<void> => {
    await stage.target.host.platform.tasks.settled(startByHand(type));
    assert.notEqual(guestOn(stage.target, vmid)?.runtime ?? null, null, "it runs");
  };

  const isUnlocked = (): boolean => {
    const placed = guestOn(stage.target, vmid);
    return placed !== undefined && placed.config["lock"] === undefined;
  };

  const assertUndone = async ({ migrationId }: QueuedMove, status: "running" | "stopped"): Promise<void> => {
    const row = await migrationRow(stage, migrationId);
    assert.deepEqual([row["status"], row["transfer_done"]], ["failed", false]);
    assert.doesNotMatch(String(row["error"]), /left behind/);
    assert.equal(guestOn(stage.target, vmid), undefined);
    const source = guestOn(stage.source, vmid);
    assert.deepEqual([source?.config["lock"], source?.runtime !== null], [undefined, status === "running"]);
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
  };

  for (const kind of KINDS) {
    const { type, status } = kind;
    const what = `${status} ${type}`;

    it(`is stopped and destroyed although it was started right before its destruction (${what})`, async () => {
      const move = await queued(kind);
      let times = 0;
      await runBroken(move, (host) => ({
        destroy: async (...call) => {
          if (++times === 1) await startedByHand(type);
          return host.destroy(...call);
        },
      }));
      assert.equal(times, 2);
      await assertUndone(move, status);
    });

    it(`is not taken for stopped while a start is under way (${what})`, async () => {
      const move = await queued(kind);
      let starts = 0;
      let times = 0;
      await runBroken(move, (host) => ({
        activeTasks: async (...call) => {
          if (call[0] !== stage.target.node || starts > 0 || !isUnlocked()) return host.activeTasks(...call);
          starts++;
          const upid = startByHand(type);
          const tasks = await host.activeTasks(...call);
          await stage.target.host.platform.tasks.settled(upid);
          return tasks;
        },
        destroy: (...call) => {
          times++;
          return host.destroy(...call);
        },
      }));
      assert.deepEqual([starts, times], [1, 1]);
      await assertUndone(move, status);
    });

    it(`is stopped and destroyed by the worker that takes the job over (${what})`, async () => {
      const move = await queued(kind);
      const stopping = new AbortController();
      const stop = async (): Promise<never> => {
        stopping.abort();
        await startedByHand(type);
        throw platformError(PlatformReason.UNREACHABLE, "the worker stops");
      };
      await runBroken(move, () => ({ destroy: stop }), stopping);
      assert.equal((await migrationRow(stage, move.migrationId))["status"], "running");
      await run(stage, move.jobId);
      await assertUndone(move, status);
    });
  }

  it("is not named as left when its destruction fails after it was done", async () => {
    const move = await queued({ type: "qemu", status: "stopped" });
    let times = 0;
    await runBroken(move, (host) => ({
      destroy: async (...call) => {
        times++;
        await stage.target.host.platform.tasks.settled((await host.destroy(...call)) ?? "");
        throw platformError(PlatformReason.UNCERTAIN, "the answer was lost");
      },
    }));
    assert.equal(times, 1);
    await assertUndone(move, "stopped");
  });

  it("is left, and named in the platform's words, when it is started again and again", async () => {
    const move = await queued({ type: "qemu", status: "stopped" });
    const now = performance.now.bind(performance);
    let times = 0;
    // Patience is over after the third attempt.
    const clock = mock.method(performance, "now", () => now() + (times < 3 ? 0 : 3_600_000));
    try {
      await runBroken(move, (host) => ({
        destroy: async (...call) => {
          times++;
          await startedByHand(GuestType.QEMU);
          return host.destroy(...call);
        },
      }));
    } finally {
      clock.mock.restore();
    }
    const row = await migrationRow(stage, move.migrationId);
    assert.deepEqual([row["status"], row["transfer_done"], times], ["failed", false, 3]);
    assert.match(String(row["error"]), new RegExp(`left behind: guest ${vmid} on node pveb \\(.* is running`));
    assert.notEqual(guestOn(stage.target, vmid)?.runtime ?? null, null);
  });
});
