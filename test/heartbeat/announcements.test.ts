// An announcement for a waiting agent reaches it at any moment: while its beat is written, between two reads, late, or lost with the connection.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { Pool } from "pg";
import { openAccess } from "../../src/access/authenticate.js";
import { RequestLog } from "../../src/access/requestLog.js";
import { createAgentToken } from "../../src/actions/host/agentToken.js";
import { HeartbeatHandler } from "../../heartbeat/handler.js";
import { contextOf, managingToken } from "../support/context.js";
import { admissionOf, agentsOnly } from "../support/admission.js";
import { eventually } from "../support/eventually.js";
import { planted } from "../support/rows.js";
import { knockAt, startAgentService, type AgentService } from "./support/agents.js";

/** Longer than a test may take: an answer that comes was called for. */
const WAIT = { query: "?wait=60" };

/** A statement whose answer is held back: what it saw is old by the time that it is told. */
interface HeldStatement {
  readonly pool: Pool;
  /** The database has answered. */
  readonly answered: Promise<void>;
  release(): void;
}

/** Holds the first answer to the statement of this name. */
function holding(pool: Pool, name: string): HeldStatement {
  const answered = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let isFirst = true;
  const query = async (...parameters: unknown[]): Promise<unknown> => {
    const [statement] = parameters;
    const isHeld = isFirst && Object(statement).name === name;
    if (isHeld) isFirst = false;
    const result: unknown = await Reflect.apply(pool.query.bind(pool), pool, parameters);
    if (isHeld) {
      answered.resolve();
      await released.promise;
    }
    return result;
  };
  const held = new Proxy(pool, { get: (target, key) => (key === "query" ? query : Reflect.get(target, key)) });
  return { pool: held, answered: answered.promise, release: released.resolve };
}

describe("announcements for an agent that waits", function () {
  this.timeout(45_000);
  let agents: AgentService;
  let token: string;
  beforeEach(async () => {
    agents = await startAgentService();
    token = await agents.agentOf("pve1");
  });
  afterEach(() => agents.close());

  const makeJob = async (): Promise<string> => (await planted(agents.services.pool, "agent_job")).id;
  /** Resolves when this process has heard all that was announced until now. */
  const heardAll = async (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = agents.services.events.on("settings", () => resolve());
    await agents.services.pool.query(`select announce('settings', 0)`);
    await promise;
    stop();
  };
  /** Another handler of the same service, of which some parts differ. */
  const withHandler = async (
    parts: { readonly pool?: Pool; readonly agentNodeId?: () => Promise<number | null> },
    use: (url: string, handler: HeartbeatHandler) => Promise<void>,
  ): Promise<void> => {
    const services = { ...agents.services, pool: parts.pool ?? agents.services.pool };
    const access = openAccess(services);
    const requestLog = new RequestLog(agents.services);
    const known = parts.agentNodeId === undefined ? access : agentsOnly(parts.agentNodeId);
    const handler = new HeartbeatHandler({ services, admission: admissionOf(services, { access: known, requestLog }) });
    const server = createServer(handler.answer).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    try {
      await use(`http://127.0.0.1:${port}/api/v1/agent/heartbeat`, handler);
    } finally {
      await handler.close();
      server.close();
      server.closeAllConnections();
      await Promise.all([requestLog.close(), access.close()]);
    }
  };

  it("of work done long ago, as late ones may be, are no answer: it goes on waiting", async () => {
    const answer = knockAt(agents.url, token, WAIT);
    await eventually(async () => assert.equal(agents.handler.waiting, 1));
    agents.services.events.emitLocal("agentJob", 1);
    agents.services.events.emitLocal("gap", 0);
    await heardAll();
    const id = await makeJob();
    assert.deepEqual(await told(answer), [id]);
  });

  it("reach it while its beat is written, by a statement that began before", async () => {
    const held = holding(agents.services.pool, "agent-report");
    await withHandler(held, async (url) => {
      const answer = knockAt(url, token, WAIT);
      await held.answered;
      const id = await makeJob();
      await heardAll();
      held.release();
      assert.deepEqual(await told(answer), [id]);
    });
  });

  it("reach it while it reads its work after another announcement", async () => {
    const held = holding(agents.services.pool, "agent-jobs-waiting");
    await withHandler(held, async (url, handler) => {
      const answer = knockAt(url, token, WAIT);
      await eventually(async () => assert.equal(handler.waiting, 1));
      agents.services.events.emitLocal("agentJob", 1);
      await held.answered;
      const id = await makeJob();
      await heardAll();
      held.release();
      assert.deepEqual(await told(answer), [id]);
    });
  });

  it("end the wait when its token was replaced, without any other work", async () => {
    const answer = knockAt(agents.url, token, WAIT);
    await eventually(async () => assert.equal(agents.handler.waiting, 1));
    await createAgentToken(contextOf(agents.services, managingToken()), 1, "pve1");
    assert.equal((await answer).status, 401);
  });

  it("end the wait when its token was replaced between its authentication and the wait", async () => {
    let looks = 0;
    await withHandler({ agentNodeId: () => Promise.resolve(++looks === 1 ? 1 : null) }, async (url) => {
      assert.equal((await knockAt(url, token, WAIT)).status, 401);
      assert.equal(looks, 2);
    });
  });
});

/** The ids of the jobs in an answer. */
const told = async (answer: Promise<Response>): Promise<readonly string[]> => {
  const { data }: { data: { jobs: readonly { id: string }[] } } = JSON.parse(await (await answer).text());
  return data.jobs.map(({ id }) => id);
};
