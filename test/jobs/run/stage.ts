// A stage for runs: three simulated hosts with guests on the first, agents that answer, and moves that somebody else carries out.
import { runJob, type Executor } from "../../../jobs/engine/executor.js";
import { executorOf } from "../../../jobs/executorOf.js";
import type { Stopwatch } from "../../../src/concurrency/stopwatch.js";
import type { Context, Services } from "../../../src/context/context.js";
import { syncHost } from "../../../src/inventory/syncHost.js";
import type { RunningHost } from "../../../simulator/host.js";
import { placeGuest } from "../../../simulator/scenarios/placeGuest.js";
import { connectHost, createPlatformServices, startTestHost } from "../../support/platform.js";
import { fromNow, plant } from "../../support/rows.js";
import type { TestServices } from "../../support/services.js";
import { contextFor } from "../../support/viewers.js";

/** So far ahead agents were seen last: none grows stale while a slow machine works. */
const WITHOUT_END = "interval '1 day'";

interface StageGuest {
  readonly vmid: number;
  readonly memory?: number;
  readonly running?: boolean;
  readonly snapshots?: readonly string[];
}

/** What becomes of a migration that is carried out. */
type Outcome = "done" | "done with warnings" | "failed" | "failed after the transfer";

export interface RunStage {
  readonly services: TestServices;
  readonly hosts: readonly [source: RunningHost, ...others: RunningHost[]];
  readonly hostIds: readonly [source: number, target: number, other: number];
  readonly context: Context;
  /** Puts guests on the first host. @returns their ids */
  place(guests: readonly StageGuest[]): Promise<number[]>;
  /** Carries out the migrations that are queued, as if by another worker. */
  carryOut(outcome?: Outcome): Promise<void>;
  /** Carries out the migrations that the work queues, until it has ended. */
  carryOutDuring(work: Promise<void>, outcome?: Outcome): Promise<void>;
  /** Runs the run's job, carrying out its migrations, until it has ended. */
  finish(runId: number, outcome?: Outcome): Promise<void>;
  items(runId: number): Promise<Record<string, unknown>[]>;
  jobOf(runId: number): Promise<number>;
  close(): Promise<void>;
}

/** @param stopwatch what the driver's limits and pauses go by */
export async function openRunStage(stopwatch?: Stopwatch): Promise<RunStage> {
  const services = await createPlatformServices({}, undefined, stopwatch);
  const hosts = await Promise.all([
    startTestHost({ name: "pvea" }),
    startTestHost({ name: "pveb" }),
    startTestHost({ name: "pvec" }),
  ]);
  const [source = 0, target = 0, other = 0] = await connectAll(services, hosts);
  await services.pool.query(
    `insert into agent (node_id, token_hash, version, healthy, nat_configured, last_seen_at)
     select id, 'agent ' || id, '1.0.0', true, true, now() + ${WITHOUT_END} from node`,
  );
  const silence = answerAgents(services);
  const context = await contextFor(services);
  const jobOf = async (runId: number): Promise<number> => {
    const { rows } = await services.pool.query<{ id: number }>(`select job_id as id from run where id = $1`, [runId]);
    return rows[0]?.id ?? 0;
  };
  const stage: RunStage = {
    services,
    hosts,
    hostIds: [source, target, other],
    context,
    jobOf,
    place: (guests) => placeGuests(services, { host: hosts[0], hostId: source, guests }),
    carryOut: (outcome = "done") => carryOut(services, outcome),
    carryOutDuring: (work, outcome = "done") => carryOutDuring(services, outcome, work),
    async finish(runId, outcome) {
      await stage.carryOutDuring(runJob(executorFor(services), await jobOf(runId)), outcome);
    },
    async items(runId) {
      const { rows } = await services.pool.query<Record<string, unknown>>(
        `select * from run_item where run_id = $1 order by position`,
        [runId],
      );
      return rows;
    },
    async close() {
      silence();
      await services.close();
      await Promise.all(hosts.map((host) => host.close()));
    },
  };
  return stage;
}

async function connectAll(services: TestServices, hosts: readonly RunningHost[]): Promise<number[]> {
  const ids: number[] = [];
  for (const host of hosts) ids.push(await connectHost(services, host));
  return ids;
}

export const executorFor = (services: Services, stopping = new AbortController().signal): Executor =>
  executorOf({ services, worker: "test", stopping });

/** Every agent reaches everything. @returns how to end it */
function answerAgents({ events, pool }: Services): () => void {
  return events.on("agentJob", () => {
    void pool.query(
      `update agent_job set status = 'done', data = '{"reachable": true}', finished_at = now() where status = 'waiting'`,
    );
  });
}

async function placeGuests(
  services: TestServices,
  { host, hostId, guests }: { host: RunningHost; hostId: number; guests: readonly StageGuest[] },
): Promise<number[]> {
  for (const { vmid, memory = 64, running = false, snapshots = [] } of guests) {
    placeGuest(host.platform, {
      type: "qemu",
      vmid,
      node: host.name,
      name: `guest${vmid}`,
      status: running ? "running" : "stopped",
      memory,
      cores: 1,
      diskGb: 1,
      config: {},
      snapshots: snapshots.map((name) => ({ name, description: "" })),
    });
  }
  await syncHost(services, hostId, { thorough: true });
  await keepCurrent(services);
  const { rows } = await services.pool.query<{ id: number }>(
    `select id from guest where host_id = $1 and gone_at is null and vmid = any($2) order by array_position($2, vmid)`,
    [hostId, guests.map(({ vmid }) => vmid)],
  );
  return rows.map(({ id }) => id);
}

/** However long the test has run, and may still run: no agent is stale, every host has just been read. */
async function keepCurrent({ pool, clock }: TestServices): Promise<void> {
  const now = clock.now();
  await pool.query(`update agent set last_seen_at = $1::timestamptz + ${WITHOUT_END}`, [now]);
  await pool.query(`update host set last_sync_at = $1`, [now]);
}

const DONE = `update job set status = 'done', progress = 1, finished_at = now() where id = $1`;
const END: Readonly<Record<Outcome, string>> = {
  done: DONE,
  "done with warnings": DONE,
  failed: `update job set status = 'failed', error = 'the transfer broke', finished_at = now() where id = $1`,
  "failed after the transfer": `update job set status = 'failed', error = 'the unlocking broke', finished_at = now() where id = $1`,
};

async function carryOutDuring(services: Services, outcome: Outcome, work: Promise<void>): Promise<void> {
  let news = Promise.withResolvers<void>();
  const over = new AbortController();
  const hear = (): void => news.resolve();
  const listening = [services.events.on("job", hear), services.events.on("gap", hear)];
  const carrying = (async () => {
    while (!over.signal.aborted) {
      news = Promise.withResolvers<void>();
      await carryOut(services, outcome);
      await news.promise;
    }
  })();
  try {
    // A fault of the carrying ends the waiting too: the work would wait for its migrations for ever.
    await Promise.race([work, carrying.then(() => work)]);
  } finally {
    over.abort();
    hear();
    for (const end of listening) end();
    await carrying;
  }
}

async function carryOut({ pool }: Services, outcome: Outcome): Promise<void> {
  const { rows } = await pool.query<{ id: number }>(
    `select id from job where kind = 'migration' and status = 'queued' order by id`,
  );
  for (const { id } of rows) {
    if (outcome === "done with warnings") {
      const warned = { job_id: id, status: "warned", finished_at: fromNow(0) } as const;
      await plant(pool, {
        job_step: [
          { ...warned, name: "ip_plan", position: 4, error: "the address is not set" },
          { ...warned, name: "port_forwards", position: 5, error: "the agent is silent" },
        ],
      });
    }
    if (outcome !== "failed") {
      await pool.query(
        `with moved as (update migration set transfer_done = true where job_id = $1 returning *)
         update guest g set host_id = m.target_host_id, node_id = n.id, vmid = m.target_vmid from moved m
         join node n on n.host_id = m.target_host_id and n.name = m.target_node where g.id = m.guest_id`,
        [id],
      );
    }
    await pool.query(END[outcome], [id]);
    await pool.query(
      `with locks as (delete from resource_lock where job_id = $1) delete from vmid_reservation where job_id = $1`,
      [id],
    );
  }
}
