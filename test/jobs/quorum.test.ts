// What is asked of a cluster's minority: refused in clear words, before anything is touched.
import assert from "node:assert/strict";
import { deleteGuest } from "../../src/actions/guest/deleteGuest.js";
import { createGuest } from "../../src/actions/guest/createGuest.js";
import { powerGuest } from "../../src/actions/guest/power.js";
import { reinstallGuest } from "../../src/actions/guest/reinstallGuest.js";
import { suggestPlacement } from "../../src/actions/placement/suggestPlacement.js";
import type { GuestType } from "../../src/core/enums.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import { runJob } from "../../jobs/engine/executor.js";
import { boot, cutPower } from "../../simulator/guests/nodePower.js";
import { placeGuest } from "../../simulator/scenarios/placeGuest.js";
import { eventually } from "../support/eventually.js";
import { refusedAs } from "../support/refusal.js";
import { contextFor } from "../support/viewers.js";
import { changedHosts } from "./changedHosts.js";
import {
  CONTAINER_TEMPLATE,
  containerRequest,
  holdings,
  jobRow,
  machineRequest,
  openStage,
  queueGuest,
  sync,
  type Stage,
} from "./creation.js";
import { executorFor } from "./killing.js";
import { PLACE } from "./place.js";

describe("a cluster without quorum", () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage(undefined, ["pvea", "pveb", "pvec"]);
    for (const type of ["qemu", "lxc"] as const) {
      const plan = { type, node: "pvea", status: "running", memory: 128, cores: 1, diskGb: 3 } as const;
      placeGuest(stage.host.platform, { ...plan, vmid: VMIDS[type], name: `${type}1`, config: {}, snapshots: [] });
    }
    await sync(stage);
  });
  after(() => stage.close());

  const VMIDS: Readonly<Record<GuestType, number>> = { qemu: 201, lxc: 202 };
  const others = ["pveb", "pvec"];

  const withoutQuorum = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const { platform } = stage.host;
    const lost = others.flatMap((name) => platform.state.nodes.get(name) ?? []);
    for (const node of lost) cutPower(platform, node);
    try {
      return await work();
    } finally {
      for (const node of lost) boot(platform, node);
    }
  };

  /** Runs a job that was queued while all was well. */
  const runWithoutQuorum = (jobId: number): Promise<Record<string, unknown>> =>
    withoutQuorum(async () => {
      await runJob(executorFor(stage.services, "test"), jobId);
      return jobRow(stage, jobId);
    });

  const isRunning = (vmid: number): boolean => (stage.host.platform.state.guests.get(vmid)?.runtime ?? null) !== null;
  const NO_QUORUM = "the host's cluster has no quorum: nothing of it can be changed";

  it("gets no new guests once a sync has seen it: reported by the preview, and by a creation on it or anywhere", async () => {
    const context = await contextFor(stage.services);
    await withoutQuorum(async () => {
      await sync(stage);
      const { dropped } = await suggestPlacement(context, { type: "qemu", cores: 1, memoryMb: 64, diskGb: 2 });
      const codes = Object.fromEntries(dropped.map(({ node, code }) => [node, code]));
      assert.deepEqual(codes, { pvea: "NO_QUORUM", pveb: "NODE_OFFLINE", pvec: "NODE_OFFLINE" });
      const refusal = await refusedAs("conflict", queueGuest(stage, machineRequest(stage)));
      assert.deepEqual([refusal.reason, refusal.message], ["NO_QUORUM", NO_QUORUM]);
      const anywhere = createGuest(context, null, machineRequest(stage, { node: "auto", vmid: null }));
      assert.equal((await refusedAs("conflict", anywhere)).reason, "NO_NODE_HAS_ROOM");
    });
    await sync(stage);
    const { dropped } = await suggestPlacement(context, { type: "qemu", cores: 1, memoryMb: 64, diskGb: 2 });
    assert.deepEqual(
      dropped.filter(({ code }) => code === "NO_QUORUM"),
      [],
    );
  });

  it("starts no guest: a state of the host, not a fault of it", async () => {
    const context = await contextFor(stage.services);
    await withoutQuorum(async () => {
      const order = { hostId: stage.hostId, type: "qemu", vmid: VMIDS.qemu, node: "pvea", action: "start" } as const;
      assert.equal((await refusedAs("conflict", powerGuest(context, order))).reason, "NO_QUORUM");
    });
  });

  for (const type of ["qemu", "lxc"] as const) {
    const address = () => ({ hostId: stage.hostId, type, vmid: VMIDS[type] });

    it(`creates no ${type} guest, and releases what was reserved`, async () => {
      const request = type === "qemu" ? machineRequest(stage) : containerRequest();
      const { jobId, vmid } = await queueGuest(stage, request);
      const job = await runWithoutQuorum(jobId);
      assert.deepEqual([job["status"], job["error"]], ["failed", `${PLACE}: ${NO_QUORUM}`]);
      assert.equal(stage.host.platform.state.guests.has(vmid), false);
      assert.equal(await holdings(stage), 0);
    });

    it(`does not stop a ${type} guest that it could not delete`, async () => {
      const { jobId } = await deleteGuest(await contextFor(stage.services), address());
      const job = await runWithoutQuorum(jobId);
      assert.deepEqual([job["status"], job["error"]], ["failed", `${PLACE}: ${NO_QUORUM}`]);
      assert.equal(isRunning(VMIDS[type]), true);
    });

    it(`does not stop a ${type} guest that it could not reinstall`, async () => {
      const osTemplate = type === "qemu" ? `tpl:${stage.templateId}` : CONTAINER_TEMPLATE;
      const asked = { osTemplate, password: "correct horse" };
      const { jobId } = await reinstallGuest(await contextFor(stage.services), address(), asked);
      const job = await runWithoutQuorum(jobId);
      assert.deepEqual([job["status"], job["error"]], ["failed", `${PLACE}: ${NO_QUORUM}`]);
      assert.equal(isRunning(VMIDS[type]), true);
    });

    /** Where the quorum is lost in the middle, and whether the guest still runs then. */
    const moments: readonly [
      when: string,
      isUp: boolean,
      change: (host: Hypervisor, lose: () => void) => Partial<Hypervisor>,
    ][] = [
      [
        "before it is stopped",
        true,
        (host, lose) => ({
          isReplicated: (guest) => {
            lose();
            return host.isReplicated(guest);
          },
        }),
      ],
      [
        "before it is made again",
        false,
        (host, lose) => ({
          install: (installation) => {
            lose();
            return host.install(installation);
          },
        }),
      ],
    ];
    for (const [when, isUp, change] of moments) {
      it(`waits to reinstall a ${type} guest when the quorum is lost ${when}`, async () => {
        const osTemplate = type === "qemu" ? `tpl:${stage.templateId}` : CONTAINER_TEMPLATE;
        const asked = { osTemplate, password: "correct horse" };
        const { jobId } = await reinstallGuest(await contextFor(stage.services), address(), asked);
        let back: Promise<void> | undefined;
        const lose = (): void => {
          back ??= withoutQuorum(() =>
            eventually(async () => {
              const { waiting } = Object((await jobRow(stage, jobId))["facts"]);
              assert.equal(waiting?.reason, NO_QUORUM);
              assert.equal(isRunning(VMIDS[type]), isUp);
            }),
          );
        };
        const hypervisors = changedHosts(stage.services.hypervisors, (host) => change(host, lose));
        await runJob(executorFor({ ...stage.services, hypervisors }, "test"), jobId);
        await back;
        const job = await jobRow(stage, jobId);
        assert.deepEqual([job["status"], job["error"]], ["done", null]);
        assert.equal(isRunning(VMIDS[type]), true);
      });
    }
  }
});
