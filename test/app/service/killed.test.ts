// A service that is killed, or told to stop, in the middle of a creation: another start ends the job, and nothing is left behind.
import assert from "node:assert/strict";
import type { RunningHost } from "../../../simulator/host.js";
import { control } from "../../inventory/support/control.js";
import { createTestDatabase, type TestDatabase } from "../../support/database.js";
import type { ApiClient } from "./support/client.js";
import { addHost, createContainer, endOfJob, startSlowHost, untilTaskRuns } from "./support/creation.js";
import { apiClient, Processes, type ServiceProcess } from "./support/processes.js";
import { until } from "../../support/until.js";

const VMID = 200;

describe("a service that ends in the middle of a creation", function () {
  this.timeout(180_000);
  let database: TestDatabase;
  let processes: Processes;
  let host: RunningHost;
  let service: ServiceProcess;
  let api: ApiClient;
  let hostId: number;
  beforeEach(async () => {
    database = await createTestDatabase();
    processes = new Processes({ DATABASE_URL: database.url });
    [host, service] = await Promise.all([startSlowHost(), processes.start()]);
    api = await apiClient(service);
    hostId = await addHost(api, host);
  });
  afterEach(async () => {
    await processes.end();
    await host.close();
    await database.close();
  });

  const held = async (): Promise<unknown> =>
    (
      await database.pool.query(
        `select (select count(*) from resource_lock) as locks, (select count(*) from vmid_reservation) as vmids,
           (select count(*) from capacity_reservation) as capacities,
           (select count(*) from job where secrets_encrypted is not null) as secrets`,
      )
    ).rows[0];
  const nothingIsHeld = async (): Promise<void> => {
    // The room of a guest that is there is reserved until a sync has counted it.
    await api.graphql("mutation ($id: Int!) { syncHost(id: $id) { id } }", { id: hostId });
    assert.deepEqual(await held(), { locks: 0, vmids: 0, capacities: 0, secrets: 0 });
  };

  const isTaskKnown = async (): Promise<boolean> =>
    (await database.pool.query("select from job where upids <> '{}'")).rowCount === 1;
  /** Queues the creation and waits until the platform is at it and the service knows the task. @returns the job's id */
  const begin = async (): Promise<number> => {
    const jobId = await createContainer(api, hostId, VMID);
    await untilTaskRuns(host, "vzcreate");
    await until("the service knows the task", isTaskKnown);
    return jobId;
  };
  /** Lets the killed process's lease expire now instead of in 30 seconds, and starts a successor. */
  const startAgain = async (): Promise<ApiClient> => {
    await database.pool.query("update job set lease_until = now() - interval '1 second'");
    const successor = await processes.start();
    await control(host.control).post("/speed", { timeFactor: 500 });
    return (api = api.at(successor.url));
  };
  const creations = () => host.platform.tasks.archive().filter(({ type }) => type === "vzcreate").length;

  it("killed: the job goes on where it was, the guest is made once", async () => {
    const jobId = await begin();
    await service.program.end("SIGKILL");
    const again = await startAgain();
    assert.deepEqual(await endOfJob(again, hostId, jobId), { status: "done", error: null });
    assert.equal(creations(), 1);
    assert.equal(host.platform.state.guests.get(VMID)?.runtime === null, false, "it runs");
    await nothingIsHeld();
    const { status, data } = await again.rest("GET", `/hosts/${hostId}/guests/lxc/${VMID}`);
    assert.deepEqual([status, Reflect.get(Object(data), "status")], [200, "running"]);
  });

  it("killed, and the platform fails: the job fails with its words, and nothing is left", async () => {
    const failure = { type: "vzcreate", vmid: VMID, atFraction: 0.9, message: "no space left on device" };
    await control(host.control).post("/tasks/fail", failure);
    const jobId = await begin();
    await service.program.end("SIGKILL");
    const again = await startAgain();
    const { status, error } = await endOfJob(again, hostId, jobId);
    assert.equal(status, "failed");
    assert.match(error ?? "", /no space left on device/);
    const { guests, volumes } = host.platform.state;
    assert.equal(guests.has(VMID), false);
    assert.deepEqual(
      volumes.filter(({ vmid }) => vmid === VMID),
      [],
    );
    await nothingIsHeld();
    assert.equal((await again.rest("GET", `/hosts/${hostId}/guests/lxc/${VMID}`)).status, 404);
  });

  it("stopped: it exits with 0 and hands the job on, also an agent that waits is answered", async () => {
    const jobId = await begin();
    const { createAgentToken: agent } = await api.graphql<{ createAgentToken: { value: string } }>(
      'mutation ($hostId: Int!) { createAgentToken(hostId: $hostId, node: "pvea") { value } }',
      { hostId },
    );
    const waits = heartbeat(service.url, agent.value);
    await until("the agent was seen", lastSeen);
    assert.equal(await service.program.end("SIGTERM"), 0);
    assert.equal((await waits).status, 200);
    const successor = await processes.start();
    await control(host.control).post("/speed", { timeFactor: 500 });
    api = api.at(successor.url);
    assert.deepEqual(await endOfJob(api, hostId, jobId), { status: "done", error: null });
    assert.equal(creations(), 1);
    await nothingIsHeld();
  });

  async function lastSeen(): Promise<Date | null> {
    const { rows } = await database.pool.query<{ at: Date | null }>("select last_seen_at as at from agent");
    return rows[0]?.at ?? null;
  }
});

const heartbeat = (url: string, token: string): Promise<Response> =>
  fetch(`${url}/api/v1/agent/heartbeat?wait=60`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ protocol: 1, agent_version: "1.0.0", healthy: true }),
  });
