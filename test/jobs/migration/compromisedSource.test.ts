// What a source answers never widens what the move does on the target: its token's rights, tasks, guests and records.
import assert from "node:assert/strict";
import { runJob } from "../../../jobs/engine/executor.js";
import type { Hypervisor, Hypervisors } from "../../../src/hypervisor/hypervisor.js";
import type { Upid } from "../../../src/hypervisor/task.js";
import { placeGuest } from "../../../simulator/scenarios/placeGuest.js";
import { tokensOrdered } from "./connectedAs.js";
import { breakRequests } from "./faults.js";
import {
  executorFor,
  guestOn,
  migrationRow,
  openMoveStage,
  placeAndSync,
  queueMove,
  run,
  type MoveStage,
  type QueuedMove,
} from "./stage.js";
import { until } from "../../support/until.js";

const TRANSFER = "UPID:pvea:000010AA:00018801:6B0395C6:qmigrate:101:root@pam!panel:";

describe("a move from a compromised source", function () {
  this.timeout(300_000);
  let stage: MoveStage;
  beforeEach(async () => {
    stage = await openMoveStage();
  });
  afterEach(() => stage.close());

  const queued = async (): Promise<QueuedMove & { guestId: number }> => {
    const guestId = await placeAndSync(stage, { type: "qemu", vmid: 101, status: "stopped" });
    return { guestId, ...(await queueMove(stage, guestId)) };
  };

  const stepIsRunning = async ({ jobId }: QueuedMove, step: string): Promise<boolean> => {
    const { rowCount } = await stage.services.pool.query(
      `select from job_step where job_id = $1 and name = $2 and status = 'running'`,
      [jobId, step],
    );
    return rowCount !== 0;
  };

  /** Does something between the checks of a move and its token: the source's agent answers no earlier. */
  const afterChecks = async (move: QueuedMove, work: () => unknown, running: Promise<void>): Promise<void> => {
    await until("the reachability is being checked", () => stepIsRunning(move, "reachability"));
    await work();
    stage.silent.delete(stage.source.node);
    await running;
  };

  /** A source that moves nothing, and tells this of the transfer. @param meanwhile what happens when it is to begin */
  const lying = (exitStatus: string, meanwhile: () => Upid): Hypervisors => {
    const { hypervisors } = stage.services;
    let tunnel = "";
    const lies: Partial<Hypervisor> = {
      migrateRemotely() {
        tunnel = meanwhile();
        return Promise.resolve(TRANSFER);
      },
      watchTransfer: () => ({
        look: () => {
          const end = { succeeded: exitStatus === "OK", isKnown: true, reason: exitStatus, failure: null };
          return Promise.resolve({ log: [], hasGrown: true, copied: null, receivedBy: tunnel, end });
        },
      }),
    };
    return {
      of: (id) => hypervisors.of(id),
      prompt: (id) => hypervisors.prompt(id),
      async patient(id, signal, observer) {
        const host = await hypervisors.patient(id, signal, observer);
        return id === stage.source.hostId ? { ...host, ...lies } : host;
      },
      once: (id) => hypervisors.once(id),
      connect: (connection) => hypervisors.connect(connection),
      forget: (id) => hypervisors.forget(id),
      close: () => hypervisors.close(),
    };
  };

  /** Somebody restores another guest under the VMID by hand, which takes long. @returns the task */
  const restoreAnother = (lock?: string): Upid => {
    const { platform } = stage.target.host;
    placeGuest(platform, {
      type: "qemu",
      vmid: 101,
      node: "pveb",
      name: "somebody-elses",
      status: "stopped",
      memory: 64,
      cores: 1,
      diskGb: 0.0625,
      config: lock === undefined ? {} : { lock },
      snapshots: [],
    });
    return platform.tasks.start({
      node: "pveb",
      type: "qmrestore",
      id: "101",
      identity: { label: "root@pam" },
      run: (task) => task.sleep(3_000_000),
    });
  };

  it("gets no unrestricted token by refusing to show the guest's configuration", async () => {
    const move = await queued();
    stage.silent.add(stage.source.node);
    const refuse = () =>
      breakRequests(stage.source, {
        method: "GET",
        path: "/qemu/101/config",
        status: 403,
        message: "Permission check failed (/vms/101, VM.Audit)",
        times: 3,
      });
    await afterChecks(move, refuse, run(stage, move.jobId));
    assert.deepEqual(await tokensOrdered(stage.target), ["1"]);
  });

  it("has no task of another user stopped, and no guest removed, by naming the task in its log", async () => {
    const move = await queued();
    let foreign = "";
    const hypervisors = lying("migration aborted", () => (foreign = restoreAnother("create")));
    await runJob(executorFor({ ...stage.services, hypervisors }), move.jobId);
    const row = await migrationRow(stage, move.migrationId);
    assert.equal(row["status"], "failed");
    assert.match(String(row["error"]), /: the transfer failed: migration aborted/);
    const { tasks } = stage.target.host.platform;
    await tasks.settled(foreign);
    assert.equal(tasks.find(foreign)?.exitstatus, "OK");
    assert.equal(guestOn(stage.target, 101)?.config["name"], "somebody-elses");
  });

  it("gives the owner of its guest no other user's by reporting that the guest has moved", async () => {
    const move = await queued();
    const hypervisors = lying("OK", restoreAnother);
    await runJob(executorFor({ ...stage.services, hypervisors }), move.jobId);
    const row = await migrationRow(stage, move.migrationId);
    assert.deepEqual([row["status"], row["transfer_done"]], ["failed", false]);
    assert.match(String(row["error"]), /the guest is not complete on the target any longer/);
    const { rows } = await stage.services.pool.query(`select host_id as host from guest where id = $1`, [move.guestId]);
    assert.deepEqual(rows, [{ host: stage.source.hostId }]);
  });
});
