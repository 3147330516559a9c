// The range from which a host gives VMIDs: creations keep to it, and name it when it is used up.
import assert from "node:assert/strict";
import { lowestFreeVmids } from "../../src/reads/models/nextVmid.js";
import { refusedAs } from "../support/refusal.js";
import { holdings, machineRequest, queueGuest, type Stage } from "./creation.js";
import { requestsOf } from "./migration/connectedAs.js";
import { auto, done, ended, hide, hideUnsynced, openVmidStage, run, setRange } from "./vmidStage.js";

describe("a host's range of VMIDs", function () {
  this.timeout(600_000);
  let stage: Stage;
  beforeEach(async () => {
    stage = await openVmidStage();
  });
  afterEach(() => stage.close());

  it("gives the VMIDs of creations, to its last", async () => {
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

  it("is known from a sync: a creation does not ask for it", async () => {
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

  it("is named by a job that fails because no other VMID is left", async () => {
    await setRange(stage, { lower: 500, upper: 501 });
    await hide(stage, [500]);
    const { jobId } = await queueGuest(stage, auto(stage));
    await run(stage, jobId);
    const [job] = await ended(stage, [jobId]);
    assert.equal(job?.status, "failed");
    assert.match(String(job?.error), /gives VMIDs from 500 to 500, and none of them is free$/);
    assert.equal(await holdings(stage), 0);
  });

  it("is named by the refusal of a creation when it is empty", async () => {
    await setRange(stage, { lower: 600, upper: 600 });
    const { reason, message } = await refusedAs("conflict", queueGuest(stage, auto(stage)));
    assert.equal(reason, "NO_FREE_VMID");
    const why = "its range (next-id) has the lower bound 600 and the upper bound 600";
    assert.equal(message, `host pvea gives no VMIDs: ${why}`);
    await setRange(stage, null);
    assert.equal((await queueGuest(stage, auto(stage))).vmid, 100);
  });
});
