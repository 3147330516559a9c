// Creations whose VMID the service chose, on a host with guests that the connection does not see: another VMID takes its place.
import assert from "node:assert/strict";
import { graphql } from "graphql";
import { runJob } from "../../jobs/engine/executor.js";
import { buildDroverSchema } from "../../resolvers/buildSchema.js";
import type { GuestCreateRequest } from "../../src/core/guest/specification.js";
import { UserRole } from "../../src/core/enums.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import type { Services } from "../../src/context/context.js";
import { lowestFreeVmid, lowestFreeVmids } from "../../src/reads/models/nextVmid.js";
import { placeGuest } from "../../simulator/scenarios/placeGuest.js";
import { contextOf, userViewer } from "../support/context.js";
import { refusedAs } from "../support/refusal.js";
import { changedHosts } from "./changedHosts.js";
import {
  containerRequest,
  holdings,
  jobRow,
  machineRequest,
  openStage,
  queueGuest,
  sync,
  TEMPLATE_VMID,
  type Stage,
} from "./creation.js";
import { executorFor, MOMENTS, runKilled, tasksOf } from "./killing.js";
import { connectAs, MINIMAL_ROLE, requestsOf } from "./migration/connectedAs.js";
import { places, triedOf } from "./places.js";

/** What a guest is like that somebody made beside the service. */
const FOREIGN = {
  type: "qemu" as const,
  node: "pvea",
  name: "foreign",
  status: "stopped" as const,
  memory: 64,
  cores: 1,
  diskGb: 0.0625,
  config: {},
  snapshots: [],
};

const place = ({ host }: Stage, vmid: number) => placeGuest(host.platform, { ...FOREIGN, vmid });

/** A VMID under which the connection has other rights than elsewhere. */
interface Ruled {
  readonly vmid: number;
  readonly lacks: string;
}

/** Connects the host by a token with the rights that the service asks for, but for these. */
const connectWithout = (stage: Stage, ruled: readonly Ruled[]): Promise<string> =>
  connectAs(stage, stage, [
    { path: "/", privileges: MINIMAL_ROLE },
    ...ruled.map(({ vmid, lacks }) => ({
      path: `/vms/${vmid}`,
      privileges: MINIMAL_ROLE.filter((privilege) => privilege !== lacks),
    })),
  ]);

/** Guests that the connection does not see. */
async function hide(stage: Stage, vmids: readonly number[]): Promise<void> {
  await hideUnsynced(stage, vmids);
  await sync(stage);
}

async function hideUnsynced(stage: Stage, vmids: readonly number[]): Promise<void> {
  for (const vmid of vmids) place(stage, vmid);
  await connectWithout(
    stage,
    vmids.map((vmid) => ({ vmid, lacks: "VM.Audit" })),
  );
}

const setRange = async (stage: Stage, range: { lower?: number; upper?: number } | null): Promise<void> => {
  stage.host.platform.state.nextId = range;
  await sync(stage);
};

const SMALL = { memoryMb: 64, diskGb: 2 };

const auto = (stage: Stage, changes: GuestCreateRequest = {}): GuestCreateRequest =>
  machineRequest(stage, { node: "auto", vmid: null, ...SMALL, ...changes });

const run = (stage: Stage, jobId: number, services: Services = stage.services): Promise<void> =>
  runJob(executorFor(services, "test"), jobId);

/** The jobs' states and errors, and the VMIDs that they name. */
async function ended(stage: Stage, jobIds: readonly number[]) {
  const rows = await Promise.all(jobIds.map((jobId) => jobRow(stage, jobId)));
  return rows.map(({ status, error, vmid }) => ({ status, error, vmid }));
}

const done = (vmid: number) => ({ status: "done", error: null, vmid });

/** The field that clients ask for the next VMID. */
async function nextVmid({ services, hostId }: Stage): Promise<unknown> {
  const { data, errors } = await graphql({
    schema: buildDroverSchema(),
    source: `query { nextVmid(hostId: ${hostId}) }`,
    contextValue: contextOf(services, userViewer(UserRole.ADMIN, 1)),
  });
  assert.deepEqual(errors, undefined);
  return data?.["nextVmid"];
}

/** A host that calls a VMID free once more although somebody has just taken it. */
function overtakenHost(stage: Stage, vmid: number, take: () => unknown): Services {
  let isTaken = false;
  const change = (host: Hypervisor): Partial<Hypervisor> => ({
    async vmidIsFree(asked) {
      if (asked !== vmid || isTaken) return host.vmidIsFree(asked);
      isTaken = true;
      const isFree = await host.vmidIsFree(asked);
      take();
      return isFree;
    },
  });
  return { ...stage.services, hypervisors: changedHosts(stage.services.hypervisors, change) };
}

describe("a VMID that the service chose and the host refuses", function () {
  this.timeout(600_000);
  let stage: Stage;
  beforeEach(async () => {
    stage = await openStage();
    // Seen so far ahead that none grows stale while a slow machine works.
    await stage.services.pool.query(
      `insert into agent (node_id, token_hash, version, healthy, last_seen_at)
       select id, 'hash', '1.0.0', true, now() + interval '1 day' from node`,
    );
  });
  afterEach(() => stage.close());

  it("gives way to the next within the job, and is not chosen again", async () => {
    await hide(stage, [100, 101, 102]);
    const first = await queueGuest(stage, auto(stage));
    assert.equal(first.vmid, 100, "what the connection does not see seems free");
    await run(stage, first.jobId);
    assert.deepEqual(await ended(stage, [first.jobId]), [done(103)]);
    assert.equal(await nextVmid(stage), 104);
    const second = await queueGuest(stage, { ...auto(stage), ...containerRequest({ node: "auto", vmid: null }) });
    assert.equal(second.vmid, 104);
    await run(stage, second.jobId);
    const others = await Promise.all([1, 2, 3, 4].map(() => queueGuest(stage, auto(stage))));
    await Promise.all(others.map(({ jobId }) => run(stage, jobId)));
    const jobs = await ended(
      stage,
      [second, ...others].map(({ jobId }) => jobId),
    );
    assert.deepEqual(
      jobs.toSorted((a, b) => Number(a.vmid) - Number(b.vmid)),
      [104, 105, 106, 107, 108].map(done),
    );
    const { rows } = await stage.services.pool.query(`select vmid from guest where vmid <> $1 order by vmid`, [
      TEMPLATE_VMID,
    ]);
    assert.deepEqual(
      rows.map(({ vmid }) => vmid),
      [103, 104, 105, 106, 107, 108],
    );
    assert.equal(await holdings(stage), 0);
    assert.equal(await nextVmid(stage), 109);
    for (const vmid of [100, 101, 102])
      assert.equal(stage.host.platform.state.guests.get(vmid)?.config["name"], "foreign");
  });

  it("gives way for each of six that are asked for at once", async () => {
    await hide(stage, [100, 101, 102]);
    const jobIds: number[] = [];
    for (const type of ["qemu", "lxc", "qemu", "lxc", "qemu", "lxc"] as const) {
      const request = type === "qemu" ? auto(stage) : containerRequest({ node: "auto", vmid: null });
      jobIds.push((await queueGuest(stage, request)).jobId);
    }
    await Promise.all(jobIds.map((jobId) => run(stage, jobId)));
    const jobs = await ended(stage, jobIds);
    assert.deepEqual(
      jobs.toSorted((a, b) => Number(a.vmid) - Number(b.vmid)),
      [103, 104, 105, 106, 107, 108].map(done),
    );
    assert.equal(await holdings(stage), 0);
  });

  it("is chosen again when its time is over", async () => {
    await hide(stage, [100]);
    const { jobId } = await queueGuest(stage, auto(stage));
    await run(stage, jobId);
    assert.equal(await lowestFreeVmid(stage.services.pool, stage.hostId), 102);
    await stage.services.pool.query(`update vmid_refusal set until = until - interval '1 hour'`);
    assert.equal(await lowestFreeVmid(stage.services.pool, stage.hostId), 100);
  });

  it("fails the job of a caller who asked for it", async () => {
    await hide(stage, [100]);
    const { jobId } = await queueGuest(stage, machineRequest(stage, { vmid: 100, ...SMALL }));
    await run(stage, jobId);
    const [job] = await ended(stage, [jobId]);
    assert.deepEqual([job?.status, job?.vmid], ["failed", 100]);
    assert.match(String(job?.error), /VMID 100 already exists/);
    assert.equal((await stage.services.pool.query(`select from vmid_refusal`)).rowCount, 0);
    await run(stage, (await queueGuest(stage, machineRequest(stage, { vmid: 110, ...SMALL }))).jobId);
    const again = queueGuest(stage, machineRequest(stage, { vmid: 110, ...SMALL }));
    assert.equal((await refusedAs("conflict", again)).reason, "VMID_TAKEN");
  });

  for (const type of ["qemu", "lxc"] as const) {
    const request = (): GuestCreateRequest =>
      type === "qemu" ? auto(stage) : containerRequest({ node: "auto", vmid: null });

    it(`gives way too when somebody takes it between the last look and the creation (${type})`, async () => {
      const { jobId, vmid } = await queueGuest(stage, request());
      assert.equal(vmid, 100);
      await run(
        stage,
        jobId,
        overtakenHost(stage, 100, () => place(stage, 100)),
      );
      assert.deepEqual(await ended(stage, [jobId]), [done(101)]);
      assert.equal(stage.host.platform.state.guests.get(100)?.config["name"], "foreign");
      assert.equal(await holdings(stage), 0);
    });

    it(`gives way when rules of its own keep the connection from it (${type})`, async () => {
      await connectWithout(stage, [{ vmid: 100, lacks: "VM.Allocate" }]);
      const { jobId } = await queueGuest(stage, request());
      await run(stage, jobId);
      assert.deepEqual(await ended(stage, [jobId]), [done(101)]);
      assert.equal(await holdings(stage), 0);
    });
  }

  it("gives way when only the task of the creation finds it taken", async () => {
    const { jobId } = await queueGuest(stage, auto(stage));
    const failing = { type: "qmclone", vmid: TEMPLATE_VMID, atFraction: 0 };
    const message = "clone failed: unable to create VM 100: config file already exists";
    const answer = await fetch(`${stage.host.control}/tasks/fail`, {
      method: "POST",
      body: JSON.stringify({ ...failing, message }),
      headers: { "content-type": "application/json" },
    });
    assert.ok(answer.ok, await answer.text());
    await run(stage, jobId);
    assert.deepEqual(await ended(stage, [jobId]), [done(101)]);
  });

  it("is no reason where the connection may make no guest at all", async () => {
    await connectAs(stage, stage, [
      { path: "/", privileges: MINIMAL_ROLE.filter((privilege) => privilege !== "VM.Allocate") },
    ]);
    const { jobId } = await queueGuest(stage, auto(stage));
    await run(stage, jobId);
    const [job] = await ended(stage, [jobId]);
    assert.deepEqual([job?.status, job?.vmid], ["failed", 100]);
    assert.match(String(job?.error), /Permission check failed/);
  });

  it("is taken from the host's own range, to its last", async () => {
    await setRange(stage, { lower: 500, upper: 503 });
    await hide(stage, [500]);
    const { jobId, vmid } = await queueGuest(stage, auto(stage));
    assert.equal(vmid, 500);
    await run(stage, jobId);
    assert.deepEqual(await ended(stage, [jobId]), [done(501)]);
    assert.deepEqual(await lowestFreeVmids(stage.services.pool, stage.hostId, { count: 5 }), [502]);
    assert.equal((await queueGuest(stage, auto(stage))).vmid, 502);
    const { reason, message } = await refusedAs("conflict", queueGuest(stage, auto(stage)));
    assert.equal(reason, "NO_FREE_VMID");
    assert.equal(message, "host pvea gives VMIDs from 500 to 502, and none of them is free");
    const asked = await queueGuest(stage, machineRequest(stage, { vmid: 120 }));
    assert.equal(asked.vmid, 120, "the range binds nobody who names a VMID");
  });

  it("is looked for without a question for the range: a sync has asked it", async () => {
    await setRange(stage, { lower: 500 });
    const seen = (await requestsOf(stage)).at(-1)?.n;
    await hideUnsynced(stage, [500, 501]);
    const { jobId } = await queueGuest(stage, auto(stage));
    await run(stage, jobId);
    assert.deepEqual(await ended(stage, [jobId]), [done(502)]);
    const since = await requestsOf(stage, seen);
    assert.ok(since.some(({ path }) => path.includes("/cluster/nextid")));
    assert.deepEqual(
      since.filter(({ path }) => path.includes("/cluster/options")),
      [],
    );
  });

  it("fails the job with the range when the host has no other", async () => {
    await setRange(stage, { lower: 500, upper: 501 });
    await hide(stage, [500]);
    const { jobId } = await queueGuest(stage, auto(stage));
    await run(stage, jobId);
    const [job] = await ended(stage, [jobId]);
    assert.equal(job?.status, "failed");
    assert.match(String(job?.error), /gives VMIDs from 500 to 500, and none of them is free$/);
    assert.equal(await holdings(stage), 0);
  });

  it("does not exist where the host's range is empty", async () => {
    await setRange(stage, { lower: 600, upper: 600 });
    const { reason, message } = await refusedAs("conflict", queueGuest(stage, auto(stage)));
    assert.equal(reason, "NO_FREE_VMID");
    const why = "its range (next-id) has the lower bound 600 and the upper bound 600";
    assert.equal(message, `host pvea gives no VMIDs: ${why}`);
    await setRange(stage, null);
    assert.equal((await queueGuest(stage, auto(stage))).vmid, 100);
  });

  for (const moment of MOMENTS) {
    it(`is replaced once by whoever goes on when the worker dies ${moment} any of its writes`, async function () {
      this.timeout(1_800_000);
      let tried = 0;
      for (const write of places()) {
        const [first, second, third] = [1000, 1001, 1002].map((lowest) => lowest + tried * 10);
        assert.ok(first !== undefined && second !== undefined && third !== undefined);
        await setRange(stage, { lower: first, upper: first + 9 });
        place(stage, first);
        const clones = tasksOf(stage, "qmclone");
        const { jobId, vmid } = await queueGuest(stage, auto(stage));
        assert.equal(vmid, first);
        const services = overtakenHost(stage, second, () => place(stage, second));
        const died = await runKilled({ ...stage, services: { ...stage.services, ...services } }, jobId, {
          write,
          moment,
        });
        const where = `killed ${moment} write ${write}`;
        assert.deepEqual(await ended(stage, [jobId]), [done(third)], where);
        assert.notEqual(stage.host.platform.state.guests.get(third)?.runtime ?? null, null, `${where}: the guest runs`);
        assert.equal(stage.host.platform.state.guests.has(third + 1), false, `${where}: no second guest`);
        assert.equal(tasksOf(stage, "qmclone") - clones, 1, `${where}: cloned once`);
        assert.equal(await holdings(stage), 0, where);
        tried++;
        if (!died) break;
      }
      assert.ok(tried >= triedOf(12), "the worker was killed at many places");
    });
  }
});
