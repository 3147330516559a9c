// What the database announces to every process, and what it keeps quiet about.
import assert from "node:assert/strict";
import { once } from "node:events";
import { listenForEvents, TOPICS, type Events } from "../../src/events/events.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { silentLog } from "../support/log.js";
import { startProxy } from "../support/proxy.js";
import { fromNow, plant, type Rows } from "../support/rows.js";
import { until } from "../support/until.js";

/** Of the connection that is cut off. */
const SHORT = { checkEveryMs: 50, answerMs: 1_000 };

describe("announcements", () => {
  let database: TestDatabase;
  let events: Events;
  before(async () => {
    database = await createTestDatabase();
    events = await listenForEvents(database.url, silentLog);
    await plant(database.pool, {
      user_account: [{}],
      api_token: [{}],
      session: [{}],
      host: [{}],
      node: [{}],
      agent: [{}],
      guest: [{ vmid: 100 }],
      job: [{}],
      job_step: [{ name: "create" }],
    });
    // What the lines above announce is heard before a test begins to listen.
    await heardFrom("select");
  });
  after(async () => {
    await events.close();
    await database.close();
  });

  /** Everything heard from the statement, or from new rows, in order; a mark that follows it shows that nothing is still on its way. */
  const heardFrom = async (change: string | Rows): Promise<string[]> => {
    const heard: string[] = [];
    const mark = new EventTarget();
    const offs = TOPICS.map((topic) =>
      events.on(topic, (id) => {
        if (topic === "job" && id === -1) mark.dispatchEvent(new Event("heard"));
        else heard.push(`${topic} ${id}`);
      }),
    );
    const marked = once(mark, "heard");
    await (typeof change === "string" ? database.pool.query(change) : plant(database.pool, change));
    await database.pool.query("select announce('job', -1)");
    await marked;
    for (const off of offs) off();
    return heard;
  };

  const cases: readonly (readonly [what: string, change: string | Rows, heard: string[]])[] = [
    ["a new job", { job: [{}] }, ["job 2"]],
    ["a job's status", "update job set status = 'running' where id = 1", ["job 1"]],
    ["a job's progress", "update job set progress = 0.5 where id = 1", ["job 1"]],
    ["the begin of an undo", "update job_step set undo_status = 'running', undo_started_at = now()", ["job 1"]],
    ["no repetition of an undo", "update job_step set undo_started_at = now()", []],
    ["the end of an undo", "update job_step set undo_status = 'done', undo_finished_at = now()", ["job 1"]],
    ["no beat of a lease", "update job set lease_until = now() where id = 1", []],
    ["a guest's change", "update guest set status = 'running' where id = 1", ["guest 1"]],
    ["a guest that a job takes", { resource_lock: [{ key: "guest:1:100" }] }, ["guest 1"]],
    ["a guest that its job leaves", "delete from resource_lock where key = 'guest:1:100'", ["guest 1"]],
    ["no VMID that is to be used", { resource_lock: [{ key: "guest:1:999" }] }, []],
    ["no guest that a request holds", { resource_lock: [{ key: "guest:1:100", job_id: null, until: fromNow(0) }] }, []],
    ["no guest that a request lets go", "delete from resource_lock", []],
    ["a host's connection", "update host set secret_encrypted = 'y' where id = 1", ["host 1"]],
    ["a host that was read", "update host set last_sync_at = now() where id = 1", ["hostSeen 1"]],
    ["a host that could not be read", "update host set last_sync_error = 'no' where id = 1", ["hostSeen 1"]],
    [
      "a host's maintenance",
      "update host set maintenance = true, maintenance_since = now() where id = 1",
      ["hostSeen 1"],
    ],
    ["a revoked token", "update api_token set revoked_at = now()", ["access 0", "token 0"]],
    ["a token's use", "update api_token set last_used_at = now()", ["token 0"]],
    ["no use of a token that is gone", "update api_token set last_used_at = now() where id = 99", []],
    ["a role", "update user_account set role = 'operator'", ["user 0", "access 0"]],
    ["a disabled user", "update user_account set enabled = false", ["user 0", "access 0"]],
    ["a session", { session: [{ token_hash: "of a second session" }] }, ["user 0"]],
    ["a sign-in", { sign_in: [{}] }, ["user 0"]],
    ["no use of a session", "update session set last_used_at = now()", []],
    ["a session that ends", "delete from session", ["user 0", "access 0"]],
    ["no end of sessions that are gone", "delete from session", ["access 0"]],
    ["an SSH key", { ssh_key: [{}] }, ["user 0"]],
    ["a reseller's node", { reseller_node: [{}] }, ["user 0"]],
    ["a plan", { plan: [{}] }, ["plan 0"]],
    ["a plan's end of sale", "update plan set active = false", ["plan 0"]],
    ["the settings", "update setting set max_suggestions = 3", ["settings 0"]],
    ["a host's template", { os_template: [{}] }, ["template 1"]],
    ["a template of every host", { ct_template: [{}] }, ["template 0"]],
    ["files of a node, once for all", { node_file: [{ volid: "one" }, { volid: "two" }] }, ["template 1"]],
    ["an IP zone", { ip_zone: [{}] }, ["address 1"]],
    ["addresses, once for all", { ip_address: [{ address: "10.0.0.2" }, { address: "10.0.0.3" }] }, ["address 1"]],
    ["an address that changes hands", "update ip_address set guest_id = 1 where id = 1", ["address 1"]],
    ["an address that comes back", "delete from ip_address where id = 2", ["address 1"]],
    ["a zone that goes with its addresses", "delete from ip_zone", ["address 1"]],
    ["a guest's port", { port_forward: [{ public_port: 2222 }] }, ["guest 1"]],
    ["a program's requests, once for all", { request_log: [{ token_id: 1 }, { token_id: 1 }] }, ["request 0"]],
    ["a refused request", { request_log: [{ status: 401 }] }, ["request 0"]],
    ["no request of a person", { request_log: [{ status: 200 }] }, []],
    ["a new agent token", "update agent set token_hash = 'i'", ["access 0"]],
    ["no heartbeat", "update agent set last_seen_at = now()", []],
    ["a session's end", "delete from session", ["access 0"]],
    [
      "200 new guests one by one",
      "insert into guest (host_id, node_id, type, vmid) select 1, 1, 'lxc', 1000 + n from generate_series(1, 200) n",
      Array.from({ length: 200 }, (_, index) => `guest ${index + 2}`),
    ],
    ["201 changed guests as one host", "update guest set cores = 1", ["guests 1"]],
  ];

  for (const [what, change, expected] of cases) {
    it(`report ${what}`, async () => assert.deepEqual(await heardFrom(change), expected));
  }

  it("that are not understood are passed over", async () => {
    assert.deepEqual(
      await heardFrom("select pg_notify('drover', 'no JSON'), pg_notify('drover', '{}'), pg_notify('drover', '')"),
      [],
    );
  });

  it("are received again after the network has cut the connection off without a word", async () => {
    const proxy = await startProxy(database.url);
    // A machine that is busy may be late with an answer too: what is opened in vain is opened again.
    const cutOff = await until("it listens", () => listenForEvents(proxy.url, silentLog, SHORT).catch(() => null));
    const heard = new Set<string>();
    cutOff.on("gap", () => heard.add("gap"));
    cutOff.on("migration", (id) => heard.add(`migration ${id}`));
    proxy.freeze();
    await until("it says that some may be missed", () => heard.has("gap"));
    await until("it hears the next ones", async () => {
      await database.pool.query(`select pg_notify('drover', '{"topic":"migration","id":77}')`);
      return heard.has("migration 77");
    });
    await cutOff.close();
    await proxy.close();
  });

  it("are received again after the connection was lost, with a report that some were missed", async () => {
    let gaps = 0;
    const off = events.on("gap", () => gaps++);
    await database.pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'drover events' and datname = current_database()",
    );
    await until("it says that some may be missed", () => gaps > 0);
    off();
    assert.deepEqual(await heardFrom("update job set progress = 0.6 where id = 1"), ["job 1"]);
  });
});
