// Subscriptions over WebSocket: who is told what, and when it ends.
import assert from "node:assert/strict";
import { LiveStage } from "./support/liveStage.js";
import { CUSTOMER_ID, RUNNING_JOB, type World } from "./support/world.js";

describe("graphql/subscriptions", () => {
  let stage: LiveStage;
  beforeEach(async () => {
    stage = await LiveStage.open();
  });
  afterEach(() => stage.close());

  it("runs queries too", async () => {
    const listener = stage.listen(stage.world.scoped, "{ viewer { hostIds } }");
    assert.deepEqual(await listener.next(), { viewer: { hostIds: [1] } });
    await listener.ended();
  });

  it("sends a job's state first, then each change, and ends with the job", async () => {
    const listener = stage.listen(
      stage.world.plain,
      `subscription { jobProgress(id: ${RUNNING_JOB}) { status progress step } }`,
    );
    assert.deepEqual(await listener.next(), { jobProgress: { status: "RUNNING", progress: 0.5, step: "clone" } });
    await stage.sql(`update job set progress = 0.75, step = 'resize' where id = $1`, [RUNNING_JOB]);
    assert.deepEqual(await listener.next(), { jobProgress: { status: "RUNNING", progress: 0.75, step: "resize" } });
    await stage.sql(`update job set status = 'done', progress = 1, finished_at = now() where id = $1`, [RUNNING_JOB]);
    assert.deepEqual(await listener.next(), { jobProgress: { status: "DONE", progress: 1, step: "resize" } });
    await listener.ended();
  });

  it("reports that a job has failed as soon as it is known, and what its rollback does", async () => {
    const query = `subscription { jobProgress(id: ${RUNNING_JOB}) { status rollback { reason step doing } } }`;
    const listener = stage.listen(stage.world.plain, query);
    assert.deepEqual(await listener.next(), { jobProgress: { status: "RUNNING", rollback: null } });
    const note = async (facts: object): Promise<void> => {
      await stage.sql(`update job set facts = facts || $2 where id = $1`, [RUNNING_JOB, facts]);
    };
    await note({ failure: "no room" });
    const first = { reason: "no room", step: null, doing: null };
    assert.deepEqual(await listener.next(), { jobProgress: { status: "RUNNING", rollback: first } });
    await note({ undoing: "removing it" });
    const then = { ...first, doing: "removing it" };
    assert.deepEqual(await listener.next(), { jobProgress: { status: "RUNNING", rollback: then } });
  });

  it("reports what a job waits for while the worker that noted it has the job", async () => {
    const query = `subscription { jobProgress(id: ${RUNNING_JOB}) { waitingFor { hostId reason since triesAgainAt } } }`;
    const listener = stage.listen(stage.world.plain, query);
    assert.deepEqual(await listener.next(), { jobProgress: { waitingFor: null } });
    const moments = { since: "2026-01-01T10:00:00.000Z", triesAgainAt: "2026-01-01T10:00:04.000Z" };
    const waitingFor = { hostId: 1, reason: "Host alpha is unreachable", ...moments };
    await stage.sql(
      `update job set lease_until = now() + interval '1 hour', lease_epoch = 7, facts = facts || $2 where id = $1`,
      [RUNNING_JOB, { waiting: { epoch: 7, ...waitingFor } }],
    );
    assert.deepEqual(await listener.next(), { jobProgress: { waitingFor } });
    await stage.sql(`update job set lease_epoch = 8, progress = 0.6 where id = $1`, [RUNNING_JOB]);
    assert.deepEqual(await listener.next(), { jobProgress: { waitingFor: null } });
  });

  it("ends with the job although its status was not asked for", async () => {
    const listener = stage.listen(stage.world.plain, `subscription { jobProgress(id: ${RUNNING_JOB}) { id } }`);
    await listener.next();
    await stage.sql(`update job set status = 'failed', error = 'no', finished_at = now() where id = $1`, [RUNNING_JOB]);
    assert.deepEqual(await listener.next(), { jobProgress: { id: RUNNING_JOB } });
    await listener.ended();
  });

  it("reports the end of a job that has ended already", async () => {
    await stage.sql(`update job set status = 'done', finished_at = now() where id = $1`, [RUNNING_JOB]);
    const listener = stage.listen(stage.world.plain, `subscription { jobProgress(id: ${RUNNING_JOB}) { status } }`);
    assert.deepEqual(await listener.next(), { jobProgress: { status: "DONE" } });
    await listener.ended();
  });

  const refused: [string, keyof World, string, string][] = [
    ["a job that is not there", "plain", "subscription { jobProgress(id: 99) { id } }", "NOT_FOUND"],
    ["a job of another host", "scoped", "subscription { jobProgress(id: 2) { id } }", "NOT_FOUND"],
    ["a job of somebody else", "customer", "subscription { jobProgress(id: 2) { id } }", "NOT_FOUND"],
    ["guests of a host out of scope", "scoped", "subscription { guestChanged(hostId: 2) { id } }", "FORBIDDEN"],
    ["guests of a host that is not there", "plain", "subscription { guestChanged(hostId: 99) { id } }", "NOT_FOUND"],
    ["a host's record with its guests", "customer", "subscription { guestChanged { host { name } } }", "FORBIDDEN"],
    ["news for somebody who manages nothing", "plain", "subscription { changes { kind } }", "FORBIDDEN"],
    ["a document that does not fit", "plain", "subscription { nonsense }", "VALIDATION_FAILED"],
  ];
  for (const [name, who, query, code] of refused) {
    it(`refuses ${name} as ${code}`, async () => {
      const error = await stage.listen(stage.world[who], query).refused();
      assert.equal(error.extensions.code, code);
    });
  }

  it("reports of several mutations which were carried out before one was refused", async () => {
    const plan = `createPlan(input: { name: "new", cores: 1, memoryMb: 128, diskGb: 1 }) { id }`;
    const query = `mutation { made: ${plan} refused: revokeApiToken(id: 999) { id } }`;
    const { extensions } = await stage.listen(stage.world.manager, query).refused();
    assert.deepEqual(extensions["carriedOut"], ["made"]);
  });

  it("reports guests that changed, once for changes in quick succession", async () => {
    const listener = stage.listen(stage.world.plain, "subscription { guestChanged { vmid hostId status } }");
    await stage.service.followers(1);
    await stage.sql(`update guest set status = 'paused' where host_id = 2 and vmid = 100`);
    assert.deepEqual(await listener.next(), { guestChanged: { vmid: 100, hostId: 2, status: "PAUSED" } });
  });

  it("sends each subscriber only what it may see", async () => {
    const scoped = stage.listen(stage.world.scoped, "subscription { guestChanged { vmid hostId } }");
    const customer = stage.listen(stage.world.customer, "subscription { guestChanged { vmid ownerId } }");
    const ofHost = stage.listen(stage.world.plain, "subscription { guestChanged(hostId: 1) { vmid } }");
    await stage.service.followers(3);
    await stage.sql(`update guest set status = 'paused' where host_id = 2 and vmid = 100`);
    await stage.sql(`update guest set status = 'paused' where host_id = 1 and vmid = 101`);
    await stage.sql(`update guest set status = 'paused' where host_id = 1 and vmid = 103`);
    assert.deepEqual(await scoped.next(), { guestChanged: { vmid: 101, hostId: 1 } });
    assert.deepEqual(await ofHost.next(), { guestChanged: { vmid: 101 } });
    assert.deepEqual(await customer.next(), { guestChanged: { vmid: 103, ownerId: CUSTOMER_ID } });
  });

  it("reports all guests of a host when very many changed at once", async () => {
    await stage.sql(
      `insert into guest (host_id, node_id, type, vmid) select 1, 1, 'qemu', n from generate_series(1000, 1299) as n`,
    );
    const listener = stage.listen(stage.world.plain, "subscription { guestChanged(hostId: 1) { vmid } }");
    await stage.service.followers(1);
    await stage.sql(`update guest set status = 'paused' where host_id = 1 and vmid >= 1000`);
    const vmids = new Set<unknown>();
    while (vmids.size < 300) {
      const { guestChanged } = await listener.next();
      if (typeof guestChanged === "object" && guestChanged !== null && "vmid" in guestChanged) {
        if (Number(guestChanged.vmid) >= 1000) vmids.add(guestChanged.vmid);
      }
    }
  });

  it("reports what changed while the announcements were lost", async () => {
    const job = stage.listen(stage.world.plain, `subscription { jobProgress(id: ${RUNNING_JOB}) { progress } }`);
    const guests = stage.listen(stage.world.scoped, "subscription { guestChanged(hostId: 1) { vmid status } }");
    await job.next();
    await stage.service.followers(1);
    await stage.sql(`alter table job disable trigger user`);
    await stage.sql(`alter table guest disable trigger user`);
    await stage.sql(`update job set progress = 0.75 where id = $1`, [RUNNING_JOB]);
    await stage.sql(`update guest set status = 'paused' where host_id = 1 and vmid = 100`);
    await stage.sql(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'drover events'
      and datname = current_database()`);
    assert.deepEqual(await job.next(), { jobProgress: { progress: 0.75 } });
    assert.deepEqual(await guests.next(), { guestChanged: { vmid: 100, status: "PAUSED" } });
  });
});
