// Secrets that jobs carry are bound to the host that they go to: those of another job or token in their place are not opened.
import assert from "node:assert/strict";
import { JobContext } from "../../jobs/engine/context.js";
import { runJob } from "../../jobs/engine/executor.js";
import { claim } from "../../jobs/engine/lease.js";
import { openClaim } from "../../jobs/engine/openClaim.js";
import { tokenOf } from "../../jobs/migration/targetToken.js";
import { JOB_SECRETS, jobSecretsBinding, TOKEN_SECRET, tokenSecretBinding } from "../../src/access/secretPurpose.js";
import { JobKind } from "../../src/core/enums.js";
import { plant } from "../support/rows.js";
import { createTestServices, type TestServices } from "../support/services.js";
import { holdings, jobRow, machineRequest, openStage, queueGuest, type Stage } from "./creation.js";
import { executorFor } from "./killing.js";
import { MOVE } from "./plannedMove.js";

describe("the secrets of a creation", () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage.close());

  const queued = async (seal: (services: TestServices) => string): Promise<{ jobId: number; vmid: number }> => {
    const { jobId, vmid } = await queueGuest(stage, machineRequest(stage));
    const sealed = seal(stage.services);
    await stage.services.pool.query(`update job set secrets_encrypted = $2 where id = $1`, [jobId, sealed]);
    await runJob(executorFor(stage.services, "test"), jobId);
    return { jobId, vmid };
  };

  for (const [name, of] of [
    ["of another host", { kind: JobKind.GUEST_CREATE, hostId: 77 }],
    ["of another kind of job", { kind: JobKind.GUEST_REINSTALL, hostId: 1 }],
  ] as const) {
    it(`are not opened when they are ${name}: the job fails, and leaves nothing`, async () => {
      const { jobId, vmid } = await queued(({ secrets }) =>
        secrets.seal('{"password":"correct horse","sshKeys":[]}', JOB_SECRETS, jobSecretsBinding(of)),
      );
      const { status, error } = await jobRow(stage, jobId);
      assert.equal(status, "failed");
      assert.match(
        String(error),
        /^node pvea of host pvea: what the job keeps secret cannot be opened: DROVER_SECRET is not the one/,
      );
      assert.equal(stage.host.platform.state.guests.has(vmid), false);
      assert.equal(await holdings(stage), 0);
    });
  }

  it("are opened when an earlier release has sealed them", async () => {
    const { jobId } = await queued(({ secrets }) =>
      secrets.seal('{"password":"correct horse","sshKeys":[]}', JOB_SECRETS),
    );
    assert.equal((await jobRow(stage, jobId))["error"], null);
  });
});

describe("the secret of a move's token", () => {
  const TOKEN = { hostId: 2, user: "root@pam", name: "mig-1" };
  let services: TestServices;
  before(async () => {
    services = await createTestServices();
  });
  after(() => services.close());

  const opened = async (of: typeof TOKEN | null): Promise<string> => {
    const sealed = services.secrets.seal("of token", TOKEN_SECRET, ...(of === null ? [] : [tokenSecretBinding(of)]));
    await services.pool.query(`truncate host, job restart identity cascade`);
    await plant(services.pool, {
      host: [{}, { name: "beta" }],
      job: [{ kind: "migration", input: JSON.stringify(MOVE) }],
      temporary_token: [{ host_id: 2, job_id: 1, secret_encrypted: sealed }],
    });
    const worker = executorFor(services, "test");
    const claimed = await claim(worker, 1);
    const job = (claimed && (await openClaim(worker, claimed))) ?? assert.fail("the job cannot be claimed");
    return (await tokenOf(new JobContext(worker, job, new AbortController().signal))).secret;
  };

  it("is opened in its own place", async () => {
    assert.equal(await opened(TOKEN), "of token");
  });

  it("is opened when an earlier release has sealed it", async () => {
    assert.equal(await opened(null), "of token");
  });

  for (const other of [{ hostId: 1 }, { user: "ann@pve" }, { name: "mig-2" }]) {
    it(`is not opened when it is that of ${JSON.stringify(other)}`, () =>
      assert.rejects(opened({ ...TOKEN, ...other }), /the secret of the move's token cannot be opened/));
  }
});
