// What is told of a job between its failure and its end.
import assert from "node:assert/strict";
import { graphql } from "graphql";
import type { Services } from "../../src/context/context.js";
import { DroverError } from "../../src/errors/errors.js";
import { buildDroverSchema } from "../../resolvers/buildSchema.js";
import { runJob } from "../../jobs/engine/executor.js";
import { contextOf, managingToken } from "../support/context.js";
import { plant, planted } from "../support/rows.js";
import { changedHosts } from "./changedHosts.js";
import { openStage, machineRequest, queueGuest } from "./creation.js";
import { executorFor, openMoveStage, placeAndSync, queueMove } from "./migration/stage.js";
import { PLACE } from "./place.js";

const TOLD = "{ status error rollback { reason step doing } undoneSteps { step status error } }";
const schema = buildDroverSchema();

async function ask(services: Services, source: string): Promise<unknown> {
  const { data, errors } = await graphql({ schema, source, contextValue: contextOf(services, managingToken()) });
  assert.equal(errors, undefined);
  return JSON.parse(JSON.stringify(data));
}

const refuse = (): Promise<never> => Promise.reject(new DroverError("platform", "no more memory"));

describe("a job that has failed", function () {
  this.timeout(300_000);

  it("is seen to be rolled back until it has ended", async () => {
    const stage = await openStage();
    try {
      const { jobId, vmid } = await queueGuest(stage, machineRequest(stage));
      const held = Promise.withResolvers<void>();
      const reached = Promise.withResolvers<void>();
      const hypervisors = changedHosts(stage.services.hypervisors, (host) => ({
        power: refuse,
        destroy: async (...call) => {
          reached.resolve();
          await held.promise;
          return host.destroy(...call);
        },
      }));
      const query = `{ job(id: ${jobId}) ${TOLD} }`;
      assert.deepEqual(await ask(stage.services, query), {
        job: { status: "QUEUED", error: null, rollback: null, undoneSteps: [] },
      });
      const running = runJob(executorFor({ ...stage.services, hypervisors }), jobId);
      await reached.promise;
      assert.deepEqual(await ask(stage.services, query), {
        job: {
          status: "RUNNING",
          error: null,
          rollback: { reason: `${PLACE}: no more memory`, step: "start", doing: `removing VM ${vmid} on node pvea` },
          undoneSteps: [{ step: "create", status: "RUNNING", error: null }],
        },
      });
      held.resolve();
      await running;
      assert.deepEqual(await ask(stage.services, query), {
        job: {
          status: "FAILED",
          error: `${PLACE}: no more memory`,
          rollback: null,
          undoneSteps: [{ step: "create", status: "DONE", error: null }],
        },
      });
    } finally {
      await stage.close();
    }
  });

  it("is seen so in its move too, which can be tried again afterwards", async () => {
    const stage = await openMoveStage();
    try {
      const guestId = await placeAndSync(stage, { type: "qemu", vmid: 5000, status: "stopped" });
      const { jobId, migrationId } = await queueMove(stage, guestId);
      const held = Promise.withResolvers<void>();
      const reached = Promise.withResolvers<void>();
      let hasFailed = false;
      const hypervisors = changedHosts(stage.services.hypervisors, (host) => ({
        migrateRemotely: () => {
          hasFailed = true;
          return refuse();
        },
        activeTasks: async (...call) => {
          if (hasFailed) {
            reached.resolve();
            await held.promise;
          }
          return host.activeTasks(...call);
        },
      }));
      const query = `{ migration(id: ${migrationId}) ${TOLD} }`;
      const running = runJob(executorFor({ ...stage.services, hypervisors }), jobId);
      await reached.promise;
      assert.deepEqual(await ask(stage.services, query), {
        migration: {
          status: "RUNNING",
          error: null,
          rollback: {
            reason: `${PLACE}: no more memory`,
            step: "transfer",
            doing: "putting guest 5000 on node pvea back to what it was",
          },
          undoneSteps: [{ step: "transfer", status: "RUNNING", error: null }],
        },
      });
      held.resolve();
      await running;
      assert.deepEqual(await ask(stage.services, query), {
        migration: {
          status: "FAILED",
          error: `${PLACE}: no more memory`,
          rollback: null,
          undoneSteps: ["transfer", "target_token"].map((step) => ({ step, status: "DONE", error: null })),
        },
      });
    } finally {
      await stage.close();
    }
  });

  it("does not show an undo as running once the job has ended without its end", async () => {
    const stage = await openStage();
    try {
      const { id } = await planted(stage.services.pool, "job", { host_id: stage.hostId, status: "failed" });
      const undo = { undo_status: "running", undo_started_at: new Date(0) } as const;
      await plant(stage.services.pool, { job_step: [{ job_id: id, name: "create", status: "failed", ...undo }] });
      assert.deepEqual(await ask(stage.services, `{ job(id: ${id}) { undoneSteps { step status error } } }`), {
        job: { undoneSteps: [{ step: "create", status: "FAILED", error: "its end is not on record" }] },
      });
    } finally {
      await stage.close();
    }
  });
});
