// What agents are asked to do: handed out until it is reported, at once to those who wait, and answered once.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { askAgent } from "../../src/host/askAgent.js";
import { Beats } from "../../heartbeat/beats.js";
import { readHeartbeat } from "../../heartbeat/protocol.js";
import { pruneInventory } from "../../src/inventory/prune.js";
import { fromNow, plant, planted } from "../support/rows.js";
import { refusedAs } from "../support/refusal.js";
import { HEARTBEAT, knockAt, startAgentService, type AgentService, type ToldJob } from "./support/agents.js";
import { until } from "../support/until.js";

const QUESTION = {
  nodeId: 1,
  kind: "tcp_check",
  payload: { host: "192.0.2.1", port: 8006 },
  timeoutMs: 40_000,
} as const;
const WAIT = { query: "?wait=20" };

const hoursAgo = (hours: number) => fromNow(-3600 * hours);

describe("agent jobs", () => {
  let agents: AgentService;
  let token: string;
  beforeEach(async () => {
    agents = await startAgentService(["pve1", "pve2", "pve3"]);
    token = await agents.agentOf("pve1");
  });
  afterEach(() => agents.close());

  const rows = async (): Promise<unknown[]> =>
    (await agents.services.pool.query("select status, error, data from agent_job order by created_at")).rows;
  /** The first job that the agent is told of. */
  const told = async (): Promise<ToldJob> => {
    const [job] = await agents.beat(token, WAIT);
    assert.ok(job !== undefined, "no job came");
    return job;
  };
  const waiting = async (count: number): Promise<void> => {
    await until(`${count} heartbeats wait`, () => agents.handler.waiting === count);
  };

  describe("for an agent", () => {
    it("come at once to one that waits, and again until they are reported", async () => {
      const waits = told();
      await waiting(1);
      const asked = askAgent(agents.services, QUESTION);
      const job = await waits;
      assert.deepEqual([job.kind, job.payload], [QUESTION.kind, QUESTION.payload]);
      assert.match(job.deadline, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.deepEqual(await agents.beat(token), [job], "it is handed out again");
      assert.deepEqual(await agents.beat(token, result(job.id)), [], "its result ends that");
      assert.deepEqual(await asked, { reachable: true });
    });

    it("count once, however often they are reported", async () => {
      const asked = askAgent(agents.services, QUESTION);
      const { id } = await told();
      await agents.beat(token, result(id));
      await agents.beat(token, result(id, { status: "failed", error: "late" }));
      assert.deepEqual(await asked, { reachable: true });
      assert.deepEqual(await rows(), [{ status: "done", error: null, data: { reachable: true } }]);
    });

    it("can be reported by their own node only", async () => {
      const asked = askAgent(agents.services, QUESTION);
      const { id } = await told();
      const other = await agents.agentOf("pve2");
      assert.deepEqual(await agents.beat(other, result(id)), []);
      assert.deepEqual(await rows(), [{ status: "waiting", error: null, data: {} }]);
      await agents.beat(token, result(id));
      await asked;
    });

    it("are settled only by the agent of their node, one by one, and once", async () => {
      const { pool } = agents.services;
      await agents.agentOf("pve3");
      const statuses = ["waiting", "waiting", "done", "failed"] as const;
      await plant(pool, {
        agent_job: [1, 2, 3].flatMap((node) => statuses.map((status) => ({ node_id: node, status }))),
      });
      const made = await pool.query<{ id: string; node: number; status: string }>(
        "select id, node_id as node, status from agent_job",
      );
      const others = made.rows.filter(({ node, status }) => node !== 2 || status !== "waiting");
      const own = made.rows.find(({ node, status }) => node === 2 && status === "waiting");
      const unchanged = async (): Promise<unknown[]> =>
        (await pool.query(`select * from agent_job where id <> $1 order by id`, [own?.id])).rows;
      const before = await unchanged();
      const second = await agents.agentOf("pve2");
      const results = [own, ...others].map((job) => ({ id: job?.id ?? "", status: "done", data: { said: true } }));
      await agents.beat(second, { body: { ...HEARTBEAT, results } });
      assert.deepEqual(await unchanged(), before);
      const { rows: settled } = await pool.query("select status, data from agent_job where id = $1", [own?.id]);
      assert.deepEqual(settled, [{ status: "done", data: { said: true } }]);
    });

    it("neither are hidden nor lose their result when another node names them at the same moment", async () => {
      const { pool, clock } = agents.services;
      const { id: done } = await planted(pool, "agent_job");
      const { id: waits } = await planted(pool, "agent_job", { kind: "unlock_guest" });
      const beats = new Beats({ pool, clock, requestLog: { makeRoom: () => Promise.resolve() }, path: "/" });
      const say = (nodeId: number, results: readonly object[]) => {
        const read = readHeartbeat({ ...HEARTBEAT, results });
        assert.ok("beat" in read);
        const arrival = { at: clock.now(), begin: performance.now(), sourceIp: "192.0.2.1" };
        return beats.note({ arrival, nodeId, beat: read.beat, stays: false });
      };
      const forged = [done, waits].map((id) => ({ id, status: "failed", error: "forged" }));
      const [own] = await Promise.all([say(1, [{ id: done, status: "done" }]), say(2, forged)]);
      assert.deepEqual(
        own?.jobs.map(({ id }) => id),
        [waits],
      );
      const kept = await pool.query("select status, error from agent_job order by kind");
      assert.deepEqual(kept.rows, [
        { status: "done", error: null },
        { status: "waiting", error: null },
      ]);
    });

    it("may be unknown here: their results are passed over", async () => {
      const asked = askAgent(agents.services, QUESTION);
      const { id } = await told();
      const known = result(id).body.results[0];
      const body = {
        ...HEARTBEAT,
        results: [{ id: "999999", status: "done" }, { id: randomUUID(), status: "done" }, known],
      };
      assert.deepEqual(await agents.beat(token, { body }), []);
      assert.deepEqual(await asked, { reachable: true });
    });

    it("come in order, and not after their deadline", async () => {
      await plant(agents.services.pool, {
        agent_job: [
          { kind: "tcp_check", created_at: fromNow(0) },
          { kind: "unlock_guest", created_at: fromNow(-1) },
          { kind: "apply_port_forwards", created_at: fromNow(-2), deadline: fromNow(-1) },
        ],
      });
      const jobs = await agents.beat(token);
      assert.deepEqual(
        jobs.map(({ kind }) => kind),
        ["unlock_guest", "tcp_check"],
      );
    });

    it("do not come to others, and waiting ends without them when its time is up", async () => {
      const waits = agents.beat(token, { query: "?wait=0.5" });
      await waiting(1);
      await plant(agents.services.pool, { agent_job: [{ node_id: 2 }] });
      agents.time.move(499);
      assert.equal(agents.handler.waiting, 1);
      agents.time.move(1);
      assert.deepEqual(await waits, []);
    });

    it("are not waited for with results to acknowledge, nor with a wait that is none", async () => {
      const id = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
      await agents.beat(token, { ...result(id), ...WAIT });
      for (const query of ["?wait=0", "?wait=-5", "?wait=soon", "?wait=20&wait=20"])
        await agents.beat(token, { query });
    });

    it("are not given to an agent whose token was replaced while it waited", async () => {
      const waits = knockAt(agents.url, token, WAIT);
      await waiting(1);
      const newer = await agents.agentOf("pve1");
      const asked = askAgent(agents.services, QUESTION);
      assert.equal((await waits).status, 401);
      token = newer;
      await agents.beat(token, result((await told()).id));
      await asked;
    });
  });

  describe("for who waits", () => {
    it("leave nothing when the agent goes away, or the service stops", async () => {
      const gone = new AbortController();
      const left = assert.rejects(knockAt(agents.url, token, { ...WAIT, signal: gone.signal }), { name: "AbortError" });
      const stays = agents.beat(token, WAIT);
      await waiting(2);
      gone.abort();
      await left;
      await waiting(1);
      await agents.handler.close();
      assert.deepEqual(await stays, []);
      assert.equal(agents.handler.waiting, 0);
      assert.deepEqual(await agents.beat(token, WAIT), [], "nobody begins to wait any longer");
    });

    it("are in the request log when the service has stopped, also those that hung up", async () => {
      const gone = new AbortController();
      const left = assert.rejects(knockAt(agents.url, token, { ...WAIT, signal: gone.signal }), { name: "AbortError" });
      const stays = agents.beat(token, WAIT);
      await waiting(2);
      gone.abort();
      await agents.handler.close();
      const { rows: logged } = await agents.services.pool.query("select status from request_log");
      assert.deepEqual(logged, [{ status: 200 }, { status: 200 }]);
      await left;
      assert.deepEqual(await stays, []);
    });

    it("look again when news may have been lost", async () => {
      const waits = told();
      await waiting(1);
      await agents.services.pool.query("alter table agent_job disable trigger agent_job_made");
      const asked = askAgent(agents.services, QUESTION);
      await until("the question is there", async () => (await rows()).length > 0);
      agents.services.events.emitLocal("gap", 0);
      const { id } = await waits;
      await agents.services.pool.query("alter table agent_job disable trigger agent_job_ended");
      await agents.beat(token, result(id));
      agents.services.events.emitLocal("gap", 0);
      assert.deepEqual(await asked, { reachable: true });
    });
  });

  describe("for who asks", () => {
    it("fail with the agent's words", async () => {
      const asked = refusedAs("platform", askAgent(agents.services, QUESTION));
      await agents.beat(token, result((await told()).id, { status: "failed", error: "no route to host" }));
      const { reason, message } = await asked;
      assert.equal(reason, "AGENT_FAILED");
      assert.match(message, /^the agent of node \S+ of host \S+ failed: no route to host$/);
    });

    it("fail when the time is up, and are withdrawn", async () => {
      const { reason } = await refusedAs("unavailable", askAgent(agents.services, { ...QUESTION, timeoutMs: 100 }));
      assert.equal(reason, "AGENT_SILENT");
      assert.deepEqual(await agents.beat(token), []);
    });

    it("end with the signal, and are withdrawn", async () => {
      const stop = new AbortController();
      const asked = askAgent(agents.services, { ...QUESTION, signal: stop.signal });
      await told();
      stop.abort(new Error("the worker stops"));
      await assert.rejects(asked, /the worker stops/);
      assert.deepEqual(await agents.beat(token), []);
      assert.deepEqual(await rows(), []);
    });

    it("do not mix up two questions of one node", async () => {
      const ports = [22, 80, 443];
      const asked = Promise.all(ports.map((port) => askAgent(agents.services, { ...QUESTION, payload: { port } })));
      await until("the questions are there", async () => (await rows()).length === ports.length);
      const jobs = await agents.beat(token);
      const results = jobs.map(({ id, payload }) => ({
        id,
        status: "done",
        data: { reachable: false, error: JSON.stringify(payload) },
      }));
      await agents.beat(token, { body: { ...HEARTBEAT, results } });
      assert.deepEqual(
        await asked,
        ports.map((port) => ({ reachable: false, error: JSON.stringify({ port }) })),
      );
    });
  });

  it("are forgotten a day after they ended", async () => {
    await plant(agents.services.pool, {
      agent_job: [
        { status: "done", finished_at: hoursAgo(23) },
        { status: "done", finished_at: hoursAgo(25) },
        { deadline: hoursAgo(25) },
        { deadline: hoursAgo(1) },
      ],
    });
    await pruneInventory(agents.services);
    assert.equal((await rows()).length, 2);
  });
});

/** A heartbeat that reports one result. */
const result = (id: string, more: object = { status: "done", data: { reachable: true } }) => ({
  body: { ...HEARTBEAT, results: [{ id, ...more }] },
});
