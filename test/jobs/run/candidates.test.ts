// What the candidates of an evacuation cost: the database is asked as often for a hundred guests as for ten, hosts only for what is a guest's own.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import type { Pool } from "pg";
import { evacuationCandidates } from "../../../src/actions/run/evacuationCandidates.js";
import { HandTime } from "../../support/handTime.js";
import { connectHost, GREETING_MS, startTestHost } from "../../support/platform.js";
import { fromNow, plant } from "../../support/rows.js";
import { openRunStage, type RunStage } from "./stage.js";

const FIRST_VMID = 1_000;
/** Configuration, what is pending, state, snapshots, tasks and replication at the source; at the target whether its VMID is free. */
const REQUESTS_A_GUEST = 7;

interface Request {
  readonly path: string;
  readonly form: Readonly<Record<string, string>> | null;
}

describe("jobs/run: candidates of an evacuation", () => {
  let stage: RunStage;
  let time: HandTime;

  beforeEach(async () => {
    time = new HandTime();
    stage = await openRunStage(time);
  });
  afterEach(() => stage.close());

  it("need as many statements for a hundred guests as for ten, and few requests for each", async function () {
    this.timeout(1_800_000);
    await placeUpTo(10);
    const few = await cost(10);
    await placeUpTo(100);
    const many = await cost(100);
    assert.deepEqual(many.statements, few.statements);
    assert.equal(few.ofGuests, 10 * REQUESTS_A_GUEST);
    assert.equal(many.ofGuests, 100 * REQUESTS_A_GUEST);
    assert.deepEqual(many.ofAll, few.ofAll);
    assert.deepEqual(few.ofAll, [...new Set(few.ofAll)], "nothing is asked twice");
  });

  it("are planned with what is known now: a guest that is gone from its host is reported, the others are offered", async () => {
    await placeUpTo(3);
    stage.hosts[0].platform.state.guests.delete(FIRST_VMID + 1);
    const candidates = await evacuationCandidates(stage.context, { hostId: stage.hostIds[0] });
    assert.deepEqual(
      candidates.map(({ startable, problems }) => [startable, problems.map(({ code }) => code)]),
      [
        [true, []],
        [false, ["GUEST_GONE"]],
        [true, []],
      ],
    );
  });

  it("report of all guests that their host cannot be reached, which is tried once", async () => {
    await placeUpTo(20);
    const tried: Socket[] = [];
    const silent = createServer((socket) => {
      tried.push(socket.on("error", () => undefined).resume());
    }).listen(0, "127.0.0.1");
    await once(silent, "listening");
    await moveTo(silent);
    const arrived = once(silent, "connection");
    const reading = evacuationCandidates(stage.context, { hostId: stage.hostIds[0] });
    await arrived;
    await time.waitsFor(GREETING_MS);
    time.move(GREETING_MS);
    const candidates = await reading;
    silent.close();
    // The host is given up, and who began the handshake waits for the patience of connections, which has no end here.
    for (const socket of tried) socket.destroy();
    assert.deepEqual(
      candidates.map(({ startable, problems }) => [startable, problems.map(({ code }) => code)]),
      Array.from({ length: 20 }, () => [false, ["PLATFORM_UNREACHABLE"]]),
    );
    assert.match(candidates[0]?.problems[0]?.message ?? "", /^Host \S+ is unreachable/);
    assert.equal(tried.length, 1);
  });

  it("are tried on three targets that refuse them, and then shown with what stood against the first", async () => {
    const further = await Promise.all(["pved", "pvee"].map((name) => startTestHost({ name })));
    try {
      for (const host of further) await connectHost(stage.services, host);
      await plant(stage.services.pool, {
        agent: [4, 5].map((node_id) => ({ node_id, healthy: true, last_seen_at: fromNow(86_400) })),
      });
      await placeUpTo(1);
      const targets = [...stage.hosts.slice(1), ...further];
      for (const { name, platform } of targets)
        Object.assign(platform.state.nodes.get(name) ?? assert.fail("it has a node"), { version: "7.2-3" });
      const asked = () => Promise.all(targets.map(async ({ control }) => (await requestsSince(control, 0)).length));
      const before = await asked();
      const candidates = await evacuationCandidates(stage.context, { hostId: stage.hostIds[0] });
      assert.deepEqual(
        candidates.map(({ startable, problems }) => [startable, problems.map(({ code }) => code)]),
        [[false, ["VERSION_TOO_OLD"]]],
      );
      const after = await asked();
      assert.equal(after.filter((count, index) => count > (before[index] ?? 0)).length, 3);
    } finally {
      await Promise.all(further.map((host) => host.close()));
    }
  });

  /** From now on the first host is said to be there. */
  async function moveTo(server: Server): Promise<void> {
    const address = server.address();
    assert.ok(typeof address === "object" && address !== null);
    const [hostId] = stage.hostIds;
    await stage.services.pool.query("update host set port = $2 where id = $1", [hostId, address.port]);
    await stage.services.hypervisors.forget(hostId);
  }

  const placeUpTo = (count: number): Promise<number[]> =>
    stage.place(
      Array.from({ length: count }, (_, index) => ({ vmid: FIRST_VMID + index })).filter(
        ({ vmid }) => !stage.hosts[0].platform.state.guests.has(vmid),
      ),
    );

  /** Statements and requests of one look at all candidates, apart from the agents' part. */
  async function cost(guests: number) {
    const statements: string[] = [];
    const before = await Promise.all(stage.hosts.map(async ({ control }) => (await requestsSince(control, 0)).length));
    const context = { ...stage.context, pool: noting(stage.context.pool, statements) };
    const candidates = await evacuationCandidates(context, { hostId: stage.hostIds[0] });
    assert.equal(candidates.filter(({ startable }) => startable).length, guests);
    const requests = await Promise.all(
      stage.hosts.map(async ({ control, name }, index) =>
        (await requestsSince(control, before[index] ?? 0)).map((request) => ({ ...request, host: name })),
      ),
    );
    const [ofGuests = [], ofAll = []] = [true, false].map((own) =>
      requests.flat().filter((one) => isOfGuest(one) === own),
    );
    return {
      statements: statements.filter((text) => !text.includes("agent_job")).toSorted(byText),
      ofGuests: ofGuests.length,
      ofAll: ofAll.map(({ host, path }) => `${host}${path}`).toSorted(byText),
    };
  }
});

const byText = (left: string, right: string): number => left.localeCompare(right);

const isOfGuest = ({ path, form }: Request): boolean =>
  /\/(?:qemu|lxc)\/\d+/.test(path) || form?.["vmid"] !== undefined || form?.["guest"] !== undefined;

async function requestsSince(control: string, since: number): Promise<Request[]> {
  const answer = await fetch(`${control}/requests?since=${since}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the simulated host's own journal
  return (await answer.json()) as Request[];
}

/** A pool that notes the statements that are sent through it. */
function noting(pool: Pool, statements: string[]): Pool {
  const query = (statement: string | { readonly text: string }, ...others: unknown[]): unknown => {
    statements.push(typeof statement === "string" ? statement : statement.text);
    return Reflect.apply(pool.query.bind(pool), pool, [statement, ...others]);
  };
  return new Proxy(pool, { get: (target, key) => (key === "query" ? query : Reflect.get(target, key)) });
}
