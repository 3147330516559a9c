// Creates, moves and deletes a guest on a platform that is not Proxmox VE: the jobs use the port alone.
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { runJob } from "../../jobs/engine/executor.js";
import { executorOf } from "../../jobs/executorOf.js";
import { createGuest } from "../../src/actions/guest/createGuest.js";
import { deleteGuest } from "../../src/actions/guest/deleteGuest.js";
import { startMigration } from "../../src/actions/migration/start.js";
import { syncHost } from "../../src/inventory/syncHost.js";
import { createTestServices, type TestServices } from "../support/services.js";
import { TINY_IMAGE, tinyHost, tinyHypervisors, type TinyHost } from "../support/tinyPlatform.js";
import { contextFor } from "../support/viewers.js";

const guestsOf = (host: TinyHost): unknown[] =>
  [...host.guests.values()].map(({ at, name, status, config }) => [at.vmid, name, status, config.note]);

describe("a platform of which nothing but the port is known", function () {
  this.timeout(120_000);
  const hosts = new Map<number, TinyHost>();
  const neighbours = new Map<string, TinyHost>();
  const source = tinyHost("alpha", neighbours);
  const target = tinyHost("beta", neighbours);
  const ended = new AbortController();
  let services: TestServices;
  let agents: Promise<void>;

  before(async () => {
    services = await createTestServices({ hypervisors: tinyHypervisors(hosts) });
    for (const host of [source, target]) await connect(host);
    await services.pool.query(
      `insert into agent (node_id, token_hash, version, healthy, nat_configured, last_seen_at)
       select id, name, '1.0.0', true, true, now() from node`,
    );
    agents = answerAgents();
  });
  after(async () => {
    ended.abort();
    await agents;
    await services.close();
  });

  async function connect(host: TinyHost): Promise<void> {
    const { rows } = await services.pool.query<{ id: number }>(
      `insert into host (name, hostname, user_name, secret_encrypted) values ($1, $1, 'service', '') returning id`,
      [host.name],
    );
    const id = rows[0]?.id ?? 0;
    hosts.set(id, host);
    await syncHost(services, id, { thorough: true });
  }

  /** Both reach each other. */
  async function answerAgents(): Promise<void> {
    while (!ended.signal.aborted) {
      await services.pool.query(
        `update agent_job set status = 'done', data = '{"reachable": true, "error": null}', finished_at = now()
         where status = 'waiting'`,
      );
      await delay(20);
    }
  }

  const idOf = (host: TinyHost): number => [...hosts].find(([, one]) => one === host)?.[0] ?? 0;

  async function run(jobId: number): Promise<void> {
    await runJob(executorOf({ services, worker: "worker", stopping: ended.signal }), jobId);
    const { rows } = await services.pool.query(`select status, error from job where id = $1`, [jobId]);
    assert.deepEqual(rows, [{ status: "done", error: null }]);
  }

  async function recordOf(host: TinyHost): Promise<number | undefined> {
    const { rows } = await services.pool.query<{ id: number }>(
      `select id from guest where host_id = $1 and gone_at is null and not safety_copy`,
      [idOf(host)],
    );
    return rows[0]?.id;
  }

  it("has a guest created", async () => {
    const { jobId } = await createGuest(await contextFor(services), idOf(source), {
      type: "lxc",
      node: source.name,
      name: "app1",
      cores: 2,
      memoryMb: 256,
      diskGb: 2,
      vmid: 130,
      osTemplate: TINY_IMAGE,
      password: "correct horse",
    });
    await run(jobId);
    assert.deepEqual(guestsOf(source), [[130, "app1", "running", ""]]);
  });

  it("has it moved to another host, by a token that is limited to the move and gone after it", async () => {
    await syncHost(services, idOf(source), { thorough: true });
    const guestId = (await recordOf(source)) ?? 0;
    const migrationId = await startMigration(await contextFor(services), {
      guestId,
      targetHostId: idOf(target),
      targetNode: target.name,
    });
    const { rows } = await services.pool.query<{ id: number }>(`select job_id as id from migration where id = $1`, [
      migrationId,
    ]);
    await run(rows[0]?.id ?? 0);
    const { rows: moves } = await services.pool.query(`select status from migration where id = $1`, [migrationId]);
    assert.deepEqual(moves, [{ status: "done" }]);
    assert.deepEqual(guestsOf(target), [[130, "app1", "running", ""]]);
    assert.deepEqual(guestsOf(source), [[130, "app1", "stopped", ""]]);
    assert.deepEqual(source.guests.get(130)?.config.tags, ["drover-migrated"]);
    assert.equal(target.tokens.size, 0);
    assert.equal(await recordOf(target), guestId);
  });

  it("has it deleted, running as it is", async () => {
    const { jobId } = await deleteGuest(await contextFor(services), { hostId: idOf(target), type: "lxc", vmid: 130 });
    await run(jobId);
    assert.deepEqual(guestsOf(target), []);
    assert.equal(await recordOf(target), undefined);
  });
});
