// A rolling upgrade with real processes: an earlier release and this one at work on one database, some of them killed at random.
// Run on demand: see docs/engineering.md, "A release".
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { Pool } from "pg";
import type { RunningHost } from "../../simulator/host.js";
import {
  furnish,
  GUESTS,
  guestIdOf,
  letThemEnd,
  placeMore,
  startHosts,
  startMoves,
  type MovingSite,
} from "../app/service/support/moves.js";
import type { ApiClient } from "../app/service/support/client.js";
import { apiClient, Processes, type ServiceProcess } from "../app/service/support/processes.js";
import { createEmptyDatabase } from "../support/database.js";
import { compileEarlier } from "./earlier.js";

/** The first that opens secrets of hosts which are bound to their place: older ones cannot work on hosts that this release adds. */
const EARLIER = process.env["DRILL_RELEASE"] ?? "529798b9";
const KILLS = 8;
const BETWEEN_KILLS_MS = 1_500;
const LONGEST_MS = 90_000;

const CREATED = [211, 212, 213, 214];
const REINSTALLED = [201, 202];
const DELETED = [203, 204];
const BALANCED = 111;

const GUESTS_NOW = `
  select g.vmid, h.name as host, u.username as owner, g.status,
    (select count(*) from ip_address a where a.guest_id = g.id and a.job_id is null)::int as addresses
  from guest g join host h on h.id = g.host_id left join user_account u on u.id = g.owner_id
  where g.gone_at is null and not g.safety_copy order by g.vmid, h.name`;

const HELD = `
  select (select count(*) from resource_lock)::int as locks, (select count(*) from vmid_reservation)::int as vmids,
    (select count(*) from ip_address where job_id is not null)::int as addresses,
    (select count(*) from temporary_token where removed_at is null and secret_encrypted is not null)::int as tokens,
    (select count(*) from job where secrets_encrypted is not null)::int as secrets`;

describe(`a rolling upgrade from ${EARLIER}`, function () {
  this.timeout(LONGEST_MS * 4);
  let earlier: string;
  let database: { url: string; drop: () => Promise<void> };
  let pool: Pool;
  let processes: Processes;
  let hosts: [RunningHost, RunningHost];
  let site: MovingSite;
  let api: ApiClient;
  /** Processes that may be killed, by what they are. */
  const running = new Map<string, ServiceProcess>();
  const answers = new Map<number, number>();

  before(async function () {
    const compiled = await compileEarlier(EARLIER);
    if (compiled === null) {
      process.stderr.write(`The history of this repository does not have ${EARLIER}: nothing is tried.\n`);
      this.skip();
    }
    earlier = compiled;
    database = await createEmptyDatabase();
    pool = new Pool({ connectionString: database.url });
    processes = new Processes({ DATABASE_URL: database.url, DROVER_LEASE_SECONDS: "4" });
    hosts = await startHosts();
    running.set("earlier api", await startEarlier("api"));
    const operator = await apiClient(at("earlier api"));
    for (const name of ["earlier worker 1", "earlier worker 2"]) running.set(name, await startEarlier("worker"));
    running.set("api", await start("api"));
    running.set("worker", await start("worker"));
    api = operator.at(at("api").url);
    site = await furnish(api, at("api").url, hosts);
  });

  after(async () => {
    await site?.close();
    await processes?.end();
    await Promise.all((hosts ?? []).map((host) => host.close()));
    await pool?.end();
    await database?.drop();
  });

  const start = (role: string): Promise<ServiceProcess> => processes.start({ DROVER_ROLE: role });
  const startEarlier = (role: string): Promise<ServiceProcess> =>
    processes.start({ DROVER_ROLE: role }, `${earlier}/app/main.js`);
  const at = (name: string): ServiceProcess => {
    const found = running.get(name);
    assert.ok(found, name);
    return found;
  };

  /** By both releases in turn, as long as the earlier one answers. */
  let turn = 0;
  const ask = async (method: "GET" | "POST" | "DELETE", path: string, body?: object): Promise<unknown> => {
    const door = running.get(turn++ % 2 === 0 ? "earlier api" : "api") ?? at("api");
    const { status, data, error } = await api.at(door.url).rest(method, path, body);
    answers.set(status, (answers.get(status) ?? 0) + 1);
    assert.ok(status < 300, `${method} ${path}: ${status} ${error}`);
    return data;
  };

  const createContainer = (vmid: number): Promise<unknown> =>
    ask("POST", `/hosts/${site.sourceId}/guests`, {
      type: "lxc",
      node: "pvea",
      vmid,
      name: `box${vmid}.example.com`,
      cores: 1,
      memory_mb: 128,
      disk_gb: 1,
      os_template: "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.gz",
      password: "Init-Pass1",
      ip_source: "zone:1",
    });
  const guestPath = (type: string, vmid: number): string => `/hosts/${site.sourceId}/guests/${type}/${vmid}`;

  /** @param least jobs there must be */
  const untilJobsEnd = async (least: number): Promise<void> => {
    const deadline = performance.now() + LONGEST_MS;
    for (;;) {
      const { rows } = await pool.query<{ all: number; open: number }>(
        `select count(*)::int as all, count(*) filter (where finished_at is null)::int as open from job`,
      );
      const [count] = rows;
      if (count !== undefined && count.open === 0 && count.all >= least) return;
      if (performance.now() > deadline)
        assert.deepEqual(
          (
            await pool.query(
              `select id, kind, status, step, worker, facts->'waiting' as waits from job where finished_at is null`,
            )
          ).rows,
          [],
        );
      await delay(100);
    }
  };

  const own = (): Promise<unknown> =>
    pool.query(`update guest set owner_id = (select min(id) from user_account) where gone_at is null`);
  const sync = async (): Promise<void> => {
    for (const id of [site.sourceId, site.targetId])
      await api.graphql("mutation ($id: Int!) { syncHost(id: $id) { id } }", { id });
  };

  /** One of this release is started again; one of the earlier cannot be, since the schema has changed. */
  const killOne = async (): Promise<string> => {
    // Most kills are of this release, so that both are at work for a while.
    const mayBeEarlier = Math.random() < 0.4;
    const names = [...running.keys()].filter(
      (name) => name === "worker" || (mayBeEarlier && name.startsWith("earlier")),
    );
    const name = names[Math.floor(Math.random() * names.length)] ?? "worker";
    const killed = at(name);
    running.delete(name);
    await killed.program.end("SIGKILL");
    if (name === "worker") running.set(name, await start("worker"));
    return name;
  };

  it("carries out jobs of every kind by both releases, whichever process is killed", async () => {
    for (const vmid of [...REINSTALLED, ...DELETED]) await createContainer(vmid);
    await untilJobsEnd(4);
    await placeMore(api, site, [BALANCED]);
    await own();

    await startMoves(api, site);
    for (const vmid of CREATED) await createContainer(vmid);
    for (const vmid of REINSTALLED)
      await ask("POST", `${guestPath("lxc", vmid)}/reinstall`, {
        os_template: "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.gz",
        password: "Init-Pass2",
      });
    for (const vmid of DELETED) await ask("DELETE", guestPath("lxc", vmid));
    const balanced = await guestIdOf(api, site, { vmid: BALANCED, type: "qemu" });
    await api.graphql("mutation ($ids: [ID!]!) { startBalanceRun(suggestionIds: $ids) { id } }", {
      ids: [`${balanced}.${site.sourceId}.pvea.${site.targetId}.pveb`],
    });

    const killed: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      await delay(BETWEEN_KILLS_MS);
      killed.push(await killOne());
      await ask("GET", `/hosts/${site.sourceId}/guests`);
    }
    process.stderr.write(`killed: ${killed.join(", ")}\n`);
    await letThemEnd(site);
    await untilJobsEnd(4 + GUESTS.length + CREATED.length + REINSTALLED.length + DELETED.length + 2);
    await own();

    const { rows: copies } = await pool.query<{ id: number }>(
      `select id from guest where safety_copy and gone_at is null`,
    );
    assert.equal(copies.length, GUESTS.length + 1);
    await api.graphql("mutation ($ids: [Int!]!) { deleteSafetyCopies(guestIds: $ids) { jobId } }", {
      ids: copies.map(({ id }) => id),
    });
    await api.graphql("mutation ($input: EvacuationInput!) { startEvacuation(input: $input) { id } }", {
      input: { hostId: site.sourceId, targetHostId: site.targetId, targetNode: "pveb", guestIds: [], allGuests: true },
    });
    await killOne();
    await untilJobsEnd(0);
    await sync();
  });

  it("ends every job well", async () => {
    const { rows } = await pool.query(`select id, kind, step, error from job where status <> 'done'`);
    assert.deepEqual(rows, []);
    const { rows: items } = await pool.query(`select vmid, status, reason from run_item where status not like 'done%'`);
    assert.deepEqual(items, []);
  });

  it("has every guest once, owned and addressed, and no deleted one", async () => {
    const { rows } = await pool.query(GUESTS_NOW);
    const expected = [...GUESTS, ...[BALANCED, ...REINSTALLED, ...CREATED].map((vmid) => ({ vmid, status: "running" }))]
      .toSorted((one, other) => one.vmid - other.vmid)
      .map(({ vmid, status }) => ({ vmid, host: "pveb", owner: "admin", status, addresses: 1 }));
    assert.deepEqual(rows, expected);
    const stillRun = [...site.source.platform.state.guests.values()].filter(({ runtime }) => runtime !== null);
    assert.deepEqual(stillRun, [], "what stays on the source are stopped copies");
  });

  it("holds nothing any longer, and answered nothing with an error", async () => {
    const { rows } = await pool.query(HELD);
    assert.deepEqual(rows, [{ locks: 0, vmids: 0, addresses: 0, tokens: 0, secrets: 0 }]);
    assert.deepEqual(
      [...answers.keys()].filter((status) => status >= 300),
      [],
    );
    for (const { program } of running.values()) assert.doesNotMatch(program.output(), /"level":(?:50|60)/);
  });
});
