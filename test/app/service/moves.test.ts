// Workers that are killed, or stopped past their lease, while guests move: another one settles every move, and copies nothing again.
import assert from "node:assert/strict";
import type { RunningHost } from "../../../simulator/host.js";
import { control } from "../../inventory/support/control.js";
import { createTestDatabase, type TestDatabase } from "../../support/database.js";
import type { ApiClient } from "./support/client.js";
import {
  assertMovedOnce,
  furnish,
  GUESTS,
  letThemEnd,
  startHosts,
  startMoves,
  untilCopying,
  untilSettled,
  untilTakenOver,
  type MovingSite,
} from "./support/moves.js";
import { apiClient, Processes, type ServiceProcess } from "./support/processes.js";
import { until } from "../../support/until.js";

/** Everything that a worker of moves writes. */
const WRITTEN = `
  select json_build_object(
    'jobs', (select json_agg(j order by id) from job j), 'steps', (select json_agg(s order by job_id, position) from job_step s),
    'migrations', (select json_agg(m order by id) from migration m), 'tokens', (select json_agg(t order by id) from temporary_token t),
    'locks', (select count(*) from resource_lock), 'vmids', (select count(*) from vmid_reservation),
    'addresses', (select json_agg(a order by id) from ip_address a), 'forwards', (select json_agg(f order by id) from port_forward f),
    'asked', (select json_agg(j order by id) from agent_job j),
    'guests', (select json_agg(json_build_array(id, host_id, vmid, safety_copy, owner_id, tags, lock) order by id) from guest)
  ) as written`;

describe("a worker that ends in the middle of three moves", function () {
  this.timeout(300_000);
  let database: TestDatabase;
  let processes: Processes;
  let hosts: [RunningHost, RunningHost];
  let worker: ServiceProcess;
  let api: ApiClient;
  let site: MovingSite;
  beforeEach(async () => {
    database = await createTestDatabase();
    processes = new Processes({ DATABASE_URL: database.url, DROVER_LEASE_SECONDS: "6" });
    const start = (role: string) => processes.start({ DROVER_ROLE: role });
    const [simulated, door, first] = await Promise.all([startHosts(), start("api"), start("worker")]);
    hosts = simulated;
    worker = first;
    api = await apiClient(door);
    site = await furnish(api, door.url, hosts);
    await startMoves(api, site);
    await untilCopying(database);
  });
  afterEach(async () => {
    await site.close();
    await processes.end();
    await Promise.all(hosts.map((host) => host.close()));
    await database.close();
  });

  it("killed: another joins the transfers that run, and settles all", async () => {
    await worker.program.end("SIGKILL");
    await processes.start({ DROVER_ROLE: "worker" });
    await untilTakenOver(database);
    await letThemEnd(site);
    await untilSettled(database);
    await assertMovedOnce(database, site);
  });

  it("stopped past its lease: another settles what has ended meanwhile; continued, it writes nothing", async () => {
    process.kill(worker.program.pid, "SIGSTOP");
    await letThemEnd(site);
    await processes.start({ DROVER_ROLE: "worker" });
    await untilSettled(database);
    await assertMovedOnce(database, site);
    const before = await written();
    const asked = await ordersOf(hosts);
    process.kill(worker.program.pid, "SIGCONT");
    await until("it has given up all its jobs", () => givenUp(worker) >= GUESTS.length);
    assert.equal(await worker.program.end("SIGTERM"), 0);
    assert.deepEqual(await written(), before);
    assert.deepEqual(await ordersOf(hosts), asked);
  });

  async function written(): Promise<unknown> {
    const { rows } = await database.pool.query<{ written: unknown }>(WRITTEN);
    return rows[0]?.written;
  }
});

/** How many jobs the worker has let go. One that was stopped inside a transaction finds its connection closed. */
const givenUp = ({ program }: ServiceProcess): number =>
  program.output().split(/lease lost to another worker|the job waits for the database/).length - 1;

/** Requests that change something on the hosts. */
async function ordersOf(hosts: readonly RunningHost[]): Promise<unknown[]> {
  const heard = await Promise.all(hosts.map((host) => control(host.control).get("/requests?since=0")));
  return heard.flat().filter((request) => Reflect.get(Object(request), "method") !== "GET");
}
