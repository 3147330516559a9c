// What operators are alerted of, at its limits: exactly what is so, and only of hosts in scope.
import assert from "node:assert/strict";
import { graphql, parse, subscribe } from "graphql";
import { buildDroverSchema } from "../../resolvers/buildSchema.js";
import type { Viewer } from "../../src/access/viewer.js";
import { contextOf, managingToken, tokenViewer } from "../support/context.js";
import { plant, type Rows } from "../support/rows.js";
import { createTestServices, fixedClock, type TestServices } from "../support/services.js";

const NOW = "2026-06-01T12:00:00Z";
const ago = (seconds: number): Date => new Date(new Date(NOW).getTime() - seconds * 1000);

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

/** The size of the request log from which on there is an alert. */
const NEARLY_FULL = 0.8 * 20_480 * MIB;

/** All is well, at its limit. */
const CALM: Rows = {
  plan: [{ name: "small", cores: 2, memory_mb: 2048, disk_gb: 10, runtime_days: 30 }],
  host: [
    { name: "calm", last_sync_at: ago(300) },
    { name: "other", last_sync_at: ago(300) },
    { name: "gone", last_sync_at: ago(300), active: false },
  ],
  node: [
    { name: "n1", status: "online" },
    { name: "n2", status: "online" },
    { host_id: 2, name: "o1", status: "online" },
    { host_id: 3, name: "g1", status: "offline" },
  ],
  agent: [1, 2, 3].map((node) => ({ node_id: node, healthy: true, last_seen_at: ago(180) })),
  guest: [{ vmid: 101, plan_id: 1, cores: 2, memory_mb: 2048, disk_bytes: 10 * GIB, created_at: ago(30 * 86_400) }],
  request_log_budget: [{ size_bytes: NEARLY_FULL - 1 }],
  worker: [{ queues: ["jobs", "migrations"], duties: ["host_sync", "inventory_prune", "sweep", "daily_tasks"] }],
};

const update = (table: string, change: string, back: string): [string, string] => [
  `update ${table} set ${change} where id = 1`,
  `update ${table} set ${back} where id = 1`,
];
const over = (cores: number, memoryMb: number, diskGb: string): string =>
  `guest 101 has ${cores} cores, ${memoryMb} MiB of RAM and a system disk of ${diskGb} GiB, its plan small allows 2, 2048 and 10`;

describe("resolvers/alerts", () => {
  let services: TestServices;
  before(async () => {
    services = await createTestServices({ clock: fixedClock(NOW) });
    await plant(services.pool, CALM);
  });
  after(() => services.close());

  const FIELDS = "items { code message node vmid migrationId since } meta { total }";

  const ask = async (viewer: Viewer = managingToken()) => {
    const contextValue = contextOf(services, viewer);
    const { data, errors } = await graphql({
      schema: buildDroverSchema(),
      source: `{ alerts { ${FIELDS} } }`,
      contextValue,
    });
    return { alerts: JSON.parse(JSON.stringify(data ?? null))?.alerts, refusal: errors?.[0]?.message };
  };

  const messages = async (viewer?: Viewer): Promise<string[]> =>
    (await ask(viewer)).alerts.items.map(({ message }: { message: string }) => message);

  /** Makes something so, says what is then alerted of, and makes it good again. */
  const alerted = async (so: string | Rows, good: string): Promise<string[]> => {
    await (typeof so === "string" ? services.pool.query(so) : plant(services.pool, so));
    const said = await messages();
    await services.pool.query(good);
    return said;
  };

  it("report nothing while everything is exactly at its limit", async () => {
    assert.deepEqual(await ask(managingToken()), { alerts: { items: [], meta: { total: 0 } }, refusal: undefined });
  });

  it("report nothing of further disks: a plan's figure is of the system disk", async () => {
    const further = update(
      "guest",
      `(disk_bytes, system_disk_bytes) = (${60 * GIB}, ${10 * GIB})`,
      `(disk_bytes, system_disk_bytes) = (${10 * GIB}, null)`,
    );
    assert.deepEqual(await alerted(...further), []);
  });

  const cases: [what: string, so: string | Rows, good: string, said: string][] = [
    ["more cores than planned", ...update("guest", "cores = 3", "cores = 2"), over(3, 2048, "10.0")],
    ["more RAM", ...update("guest", "memory_mb = 2049", "memory_mb = 2048"), over(2, 2049, "10.0")],
    ["more disk", ...update("guest", `disk_bytes = ${10.5 * GIB}`, `disk_bytes = ${10 * GIB}`), over(2, 2048, "10.5")],
    [
      "a larger system disk",
      ...update(
        "guest",
        `(disk_bytes, system_disk_bytes) = (${60 * GIB}, ${11 * GIB})`,
        `(disk_bytes, system_disk_bytes) = (${10 * GIB}, null)`,
      ),
      over(2, 2048, "11.0"),
    ],
    [
      "a runtime that is over",
      ...update(
        "guest",
        "created_at = created_at - interval '1 second'",
        "created_at = created_at + interval '1 second'",
      ),
      "guest 101 is older than the 30 days of its plan small",
    ],
    [
      "a guest that took the place of a customer's",
      {
        user_account: [{ username: "ann" }],
        guest: [
          { vmid: 102, owner_id: 1, gone_at: ago(60), created_at: ago(3600) },
          { vmid: 102, created_at: ago(60) },
          { vmid: 103, created_at: ago(60) },
        ],
      },
      `delete from guest where vmid > 101; delete from user_account where username = 'ann'`,
      "guest 102 is another one than before: the former belonged to ann, this one to nobody",
    ],
    [
      "a node that is offline",
      ...update("node", "status = 'offline'", "status = 'online'"),
      "node n1 of calm is offline",
    ],
    [
      "an agent that is silent",
      `update agent set last_seen_at = last_seen_at - interval '1 second' where node_id = 2`,
      `update agent set last_seen_at = last_seen_at + interval '1 second' where node_id = 2`,
      "the agent of n2 is silent",
    ],
    [
      "an inventory that is old",
      ...update(
        "host",
        "last_sync_at = last_sync_at - interval '1 second', last_sync_error = 'no route'",
        "last_sync_at = last_sync_at + interval '1 second', last_sync_error = null",
      ),
      "what is known of host calm is old: no route",
    ],
    [
      "a move that failed",
      { migration: [{ vmid: 101, target_node: "o1", status: "failed", error: "no space", finished_at: ago(60) }] },
      `delete from migration`,
      "the move of guest 101 to o1 failed: no space",
    ],
  ];
  cases.push(
    [
      "standing work that nobody does",
      `update worker set duties = '{sweep,daily_tasks,inventory_prune}'`,
      `update worker set duties = '{host_sync,inventory_prune,sweep,daily_tasks}'`,
      "no process reads the hosts: start a service of the role worker or all, or npx drover worker (duty host_sync)",
    ],
    [
      "a worker that was not seen for two minutes",
      `update worker set seen_at = now() - interval '121 seconds', queues = '{jobs}', duties = null;
       insert into worker (name, queues) values ('other', '{jobs}')`,
      `delete from worker where name = 'other'; update worker set seen_at = now(), queues = '{jobs,migrations}',
       duties = '{host_sync,inventory_prune,sweep,daily_tasks}'`,
      "no process works on moves: start a service of the role worker or all, or npx drover worker (duty migrations)",
    ],
    [
      "a daily task that was not finished in time",
      {
        task_run: [
          { name: "sessions", finished_at: ago(26 * 3600 + 1) },
          { name: "request-log", finished_at: ago(26 * 3600) },
        ],
      },
      `delete from task_run`,
      "the task sessions was not finished in time",
    ],
    [
      "a daily task that fails",
      { task_run: [{ name: "sessions", started_at: ago(60), finished_at: ago(3600), error: "no disk" }] },
      `delete from task_run`,
      "the task sessions fails: no disk",
    ],
    [
      "a request log that is nearly at its size",
      `update request_log_budget set size_bytes = ${NEARLY_FULL}`,
      `update request_log_budget set size_bytes = ${NEARLY_FULL - 1}`,
      "the request log takes 16384 MiB of disk: at 20480 MiB its oldest day is dropped (requestLogMaxMb)",
    ],
    [
      "days of the request log that were dropped",
      `update request_log_budget set size_bytes = ${7 * MIB}, dropped_through = '2026-05-30', dropped_at = '${ago(60).toISOString()}'`,
      `update request_log_budget set size_bytes = ${NEARLY_FULL - 1}, dropped_through = null, dropped_at = null`,
      "the request log takes 7 MiB of disk: at 20480 MiB (requestLogMaxMb) it was dropped up to 2026-05-30",
    ],
  );
  for (const [what, so, good, said] of cases) {
    it(`report ${what}`, async () => assert.deepEqual(await alerted(so, good), [said]));
  }

  it("pass over safety copies and guests that move", async () => {
    const [more, less] = update("guest", "cores = 3, safety_copy = true", "cores = 2, safety_copy = false");
    assert.deepEqual(await alerted(more, less), []);
    await plant(services.pool, { job: [{ kind: "migration" }], resource_lock: [{ key: "guest:1:101" }] });
    const free = `delete from resource_lock; update guest set cores = 2 where id = 1`;
    assert.deepEqual(await alerted(`update guest set cores = 3 where id = 1`, free), []);
  });

  it("are for those who manage hosts, of hosts in their scope", async () => {
    assert.match((await ask(tokenViewer([1]))).refusal ?? "", /hosts\.manage/);
    await services.pool.query(`update node set status = 'offline' where id = 1`);
    assert.deepEqual(await messages(managingToken([2])), []);
    assert.deepEqual(await messages(managingToken()), ["node n1 of calm is offline"]);
    await services.pool.query(`update node set status = 'online' where id = 1`);
  });

  it("are sent at once, and again when they are others", async () => {
    const stream = await subscribe({
      schema: buildDroverSchema(),
      document: parse(`subscription { alertsChanged { ${FIELDS} } }`),
      contextValue: contextOf(services, managingToken([1])),
    });
    assert.ok(Symbol.asyncIterator in stream, JSON.stringify(stream));
    const next = async (): Promise<string[]> => {
      const { value } = await stream.next();
      return JSON.parse(JSON.stringify(value)).data.alertsChanged.items.map(({ code }: { code: string }) => code);
    };
    assert.deepEqual(await next(), []);
    const changed = next();
    await services.pool.query(`update guest set cores = 4 where id = 1`);
    assert.deepEqual(await changed, ["GUEST_OVER_PLAN"]);
    await stream.return?.();
  });
});
