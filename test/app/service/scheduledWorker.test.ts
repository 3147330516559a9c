// Moves without a resident worker: the API says why they wait, and a worker that a schedule starts works them off and ends.
import assert from "node:assert/strict";
import type { RunningHost } from "../../../simulator/host.js";
import { createTestDatabase, type TestDatabase } from "../../support/database.js";
import type { ApiClient } from "./support/client.js";
import { furnish, GUESTS, guestIdOf, placeMore, startHosts, type MovingSite } from "./support/moves.js";
import { apiClient, Processes } from "./support/processes.js";

interface Waiting {
  readonly evacuation: {
    readonly status: string;
    readonly notice: string | null;
    readonly items: readonly { readonly status: string; readonly migration: { readonly status: string } | null }[];
  };
  readonly migration: { readonly status: string; readonly notice: string | null };
  readonly job: { readonly notice: string | null };
}

const LOOK = `query ($run: Int!, $migration: Int!, $job: Int!) {
  evacuation(id: $run) { status notice items { status migration { status } } }
  migration(id: $migration) { status notice }
  job(id: $job) { notice }
}`;

const MISSING = /no worker that serves migrations was seen/;

describe("moves while no worker is resident", function () {
  this.timeout(240_000);
  let database: TestDatabase;
  let processes: Processes;
  let hosts: [RunningHost, RunningHost];
  let api: ApiClient;
  let site: MovingSite;
  before(async () => {
    database = await createTestDatabase();
    processes = new Processes({ DATABASE_URL: database.url });
    const [simulated, door] = await Promise.all([startHosts(), processes.start({ DROVER_ROLE: "api" })]);
    hosts = simulated;
    api = await apiClient(door);
    site = await furnish(api, door.url, hosts);
  });
  after(async () => {
    await site.close();
    await processes.end();
    await Promise.all(hosts.map((host) => host.close()));
    await database.close();
  });

  it("report that no worker was seen, and are worked off with their runs by one that ends with its work", async () => {
    const [first, ...others] = await Promise.all(GUESTS.map((guest) => guestIdOf(api, site, guest)));
    const target = { targetHostId: site.targetId, targetNode: "pveb" };
    const { startMigration: move } = await api.graphql<{ startMigration: { id: number; jobId: number } }>(
      "mutation ($input: MigrationInput!) { startMigration(input: $input) { id jobId } }",
      { input: { guestId: first, ...target } },
    );
    const { startEvacuation: run } = await api.graphql<{ startEvacuation: { id: number } }>(
      "mutation ($input: EvacuationInput!) { startEvacuation(input: $input) { id } }",
      { input: { hostId: site.sourceId, guestIds: others } },
    );
    const look = () => api.graphql<Waiting>(LOOK, { run: run.id, migration: move.id, job: move.jobId });
    const before = await look();
    assert.deepEqual([before.evacuation.status, before.migration.status], ["QUEUED", "QUEUED"]);
    for (const { notice } of [before.evacuation, before.migration, before.job]) assert.match(notice ?? "", MISSING);

    const worker = processes.command("worker", "--queue", "migrations", "--once");
    assert.equal(await worker.ended, 0, worker.output());
    assert.match(worker.output(), /Worked on 4 jobs\./);

    const after = await look();
    assert.deepEqual([after.evacuation.status, after.migration.status], ["DONE", "DONE"]);
    assert.deepEqual(
      after.evacuation.items.map(({ status, migration }) => [status, migration?.status]),
      others.map(() => ["DONE", "DONE"]),
    );
    for (const { notice } of [after.evacuation, after.migration, after.job]) assert.equal(notice, null);
    const idle = processes.command("worker", "--queue", "migrations", "--once");
    assert.equal(await idle.ended, 0);
    assert.match(idle.output(), /Worked on 0 jobs\./);
  });

  it("are carried out by a worker of their queue that stays, until it is stopped", async () => {
    await placeMore(api, site, [301]);
    const worker = processes.command("worker", "--queue", "migrations");
    await worker.printed("the worker is ready");
    const guestId = await guestIdOf(api, site, { vmid: 301, type: "qemu" });
    const { startMigration: move } = await api.graphql<{ startMigration: { id: number; notice: string | null } }>(
      "mutation ($input: MigrationInput!) { startMigration(input: $input) { id notice } }",
      { input: { guestId, targetHostId: site.targetId, targetNode: "pveb" } },
    );
    assert.equal(move.notice, null);
    const told: string[] = [];
    for await (const { migrationProgress } of api.subscribe<{ migrationProgress: { status: string } }>(
      "subscription ($id: Int!) { migrationProgress(id: $id) { status } }",
      { id: move.id },
    )) {
      told.push(migrationProgress.status);
    }
    assert.equal(told.at(-1), "DONE");
    assert.equal(await worker.end("SIGTERM"), 0);
  });

  it("leaves the other queue alone, and refuses one that is not there", async () => {
    const wrong = processes.command("worker", "--queue", "movements", "--once");
    assert.equal(await wrong.ended, 2);
    assert.match(wrong.output(), /migrations/);
    await database.pool.query(`insert into job (kind) values ('guest_delete')`);
    const worker = processes.command("worker", "--queue", "migrations", "--once");
    assert.equal(await worker.ended, 0);
    const { rows } = await database.pool.query(`select status, attempts from job where kind = 'guest_delete'`);
    assert.deepEqual(rows, [{ status: "queued", attempts: 0 }]);
    const { jobs } = await api.graphql<{ jobs: { items: { notice: string }[] } }>(
      "{ jobs(filter: { kind: GUEST_DELETE }) { items { notice } } }",
    );
    assert.match(jobs.items[0]?.notice ?? "", /^no worker was seen/);
  });
});
