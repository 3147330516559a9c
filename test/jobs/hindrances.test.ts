// What of an image keeps access or address from a guest: taken off where that can be, and told.
import assert from "node:assert/strict";
import { graphql } from "graphql";
import { runJob } from "../../jobs/engine/executor.js";
import { buildDroverSchema } from "../../resolvers/buildSchema.js";
import { reinstallGuest } from "../../src/actions/guest/reinstallGuest.js";
import type { Services } from "../../src/context/context.js";
import { UserRole } from "../../src/core/enums.js";
import type { GuestCreateRequest } from "../../src/core/guest/specification.js";
import { contextOf, userViewer } from "../support/context.js";
import { contextFor } from "../support/viewers.js";
import { changedHosts } from "./changedHosts.js";
import {
  containerRequest,
  jobRow,
  machineRequest,
  openStage,
  queueGuest,
  sync,
  TEMPLATE_VMID,
  type Stage,
} from "./creation.js";
import { executorFor, withMethods } from "./killing.js";
import { until } from "../support/until.js";

const USER = "user=local:snippets/user.yaml";
const NETWORK = "network=local:snippets/net.yaml";
const VENDOR = "vendor=local:snippets/vendor.yaml";
const TAKEN_OFF = `cicustom ${USER} of the template was taken off: the password and SSH keys would not have reached the guest`;
const UNKNOWN_SYSTEM = "local:vztmpl/appliance_1.0_amd64.tar.gz";

const work = (services: Services, jobId: number): Promise<unknown> => runJob(executorFor(services, "test"), jobId);

describe("an image that hides access or address from a guest", () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
    const { volumes } = stage.host.platform.state;
    const file = volumes.find(({ content }) => content === "vztmpl");
    assert.ok(file !== undefined);
    volumes.push({ ...file, name: UNKNOWN_SYSTEM.replace("local:", "") });
    await sync(stage);
  });
  after(() => stage.close());

  const customise = (cicustom: string | undefined): unknown =>
    Object.assign(stage.host.platform.state.guests.get(TEMPLATE_VMID)?.config ?? {}, { cicustom });

  interface Made {
    readonly config: Readonly<Record<string, unknown>>;
    /** What its job warns of first; null: nothing. */
    readonly warning: string | null;
  }

  async function made(jobId: number, vmid: number): Promise<Made> {
    const job = await jobRow(stage, jobId);
    assert.deepEqual([job["status"], job["error"]], ["done", null]);
    const { data, errors } = await graphql({
      schema: buildDroverSchema(),
      source: `query { job(id: ${jobId}) { warnings } }`,
      contextValue: contextOf(stage.services, userViewer(UserRole.ADMIN, 1)),
    });
    assert.equal(errors, undefined);
    const { warnings }: { warnings: readonly string[] } = Object(data?.["job"]);
    return { config: stage.host.platform.state.guests.get(vmid)?.config ?? {}, warning: warnings[0] ?? null };
  }

  async function create(request: GuestCreateRequest): Promise<Made> {
    const { jobId, vmid } = await queueGuest(stage, request);
    await work(stage.services, jobId);
    return made(jobId, vmid);
  }

  it("loses the file that would take the place of password and keys, and no other", async () => {
    customise(`${VENDOR},${USER},${NETWORK}`);
    const { config, warning } = await create(machineRequest(stage, { vmid: 140 }));
    assert.equal(warning, TAKEN_OFF);
    assert.equal(config["cicustom"], `${VENDOR},${NETWORK}`);
    assert.equal(
      stage.host.platform.state.guests.get(TEMPLATE_VMID)?.config["cicustom"],
      `${VENDOR},${USER},${NETWORK}`,
    );
  });

  it("keeps files that hide nothing", async () => {
    customise(VENDOR);
    const { config, warning } = await create(machineRequest(stage, { vmid: 141 }));
    assert.deepEqual([warning, config["cicustom"]], [null, VENDOR]);
  });

  it("is reported although the worker dies right after the file was removed", async () => {
    customise(USER);
    const { services } = stage;
    const { jobId, vmid } = await queueGuest(stage, machineRequest(stage, { vmid: 143 }));
    let isDead = false;
    const alive = <Result>(doing: () => Promise<Result>): Promise<Result> =>
      isDead ? Promise.reject(new Error("the worker was killed")) : doing();
    const query = (...parameters: unknown[]) =>
      alive(() => Reflect.apply(services.pool.query.bind(services.pool), services.pool, parameters));
    const pool = withMethods(services.pool, { query, connect: () => alive(() => services.pool.connect()) });
    const hypervisors = changedHosts(services.hypervisors, (host) => ({
      async setUp(guest, how) {
        const task = await host.setUp(guest, how);
        isDead = true;
        return task;
      },
    }));
    await work({ ...services, pool, hypervisors }, jobId);
    assert.equal((await jobRow(stage, jobId))["status"], "running");
    // The platform's task, which the dead worker no longer waited for.
    const { guests } = stage.host.platform.state;
    await until("the file is removed", () => guests.get(vmid)?.config["cicustom"] === undefined);
    await services.pool.query(`update job set lease_until = now() - interval '1 second' where id = $1`, [jobId]);
    await work(services, jobId);
    assert.equal((await made(jobId, vmid)).warning, TAKEN_OFF);
  });

  it("is reported for a guest that is reinstalled, and loses the file there too", async () => {
    customise(undefined);
    await create(machineRequest(stage, { vmid: 146 }));
    customise(USER);
    const guest = { hostId: stage.hostId, type: "qemu", vmid: 146 } as const;
    const image = { osTemplate: `tpl:${stage.templateId}`, password: "correct horse" };
    const { jobId } = await reinstallGuest(await contextFor(stage.services), guest, image);
    await work(stage.services, jobId);
    const { config, warning } = await made(jobId, 146);
    assert.deepEqual([warning, config["cicustom"]], [TAKEN_OFF, undefined]);
  });

  it("is reported for a container whose system the platform does not recognize", async () => {
    const { warning } = await create(containerRequest({ vmid: 144, osTemplate: UNKNOWN_SYSTEM }));
    assert.equal(warning, "ostype unmanaged: the password and SSH keys did not reach the guest");
    assert.equal((await create(containerRequest({ vmid: 145 }))).warning, null);
  });
});
