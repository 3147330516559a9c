// A small stage for moves: two simulated hosts, an agent on each that does what it is asked, and guests to move.
import { setTimeout as delay } from "node:timers/promises";
import { planMigration, type MigrationRequest } from "../../../src/migration/plan.js";
import { startMigration } from "../../../src/actions/migration/start.js";
import type { Clock } from "../../../src/concurrency/clock.js";
import { systemStopwatch, type Stopwatch } from "../../../src/concurrency/stopwatch.js";
import type { GuestType } from "../../../src/core/enums.js";
import { syncHost } from "../../../src/inventory/syncHost.js";
import { executorOf } from "../../../jobs/executorOf.js";
import { runJob, type Executor } from "../../../jobs/engine/executor.js";
import type { Services } from "../../../src/context/context.js";
import { placeGuest } from "../../../simulator/scenarios/placeGuest.js";
import { unlock } from "../../../simulator/control/shell.js";
import type { RunningHost } from "../../../simulator/host.js";
import type { StorageType } from "../../../simulator/state/storage.js";
import type { Release } from "../../../simulator/version.js";
import { connectHost, createPlatformServices, startTestHost, type Reach } from "../../support/platform.js";
import type { TestServices } from "../../support/services.js";
import { contextFor } from "../../support/viewers.js";

export interface Side {
  readonly host: RunningHost;
  readonly hostId: number;
  readonly node: string;
}

/** What an agent is asked. */
interface AgentJob {
  readonly id: string;
  readonly node: string;
  readonly kind: string;
  readonly payload: Record<string, unknown>;
}

export interface MoveStage {
  readonly services: TestServices;
  readonly stopwatch: Stopwatch;
  readonly source: Side;
  readonly target: Side;
  /** Nodes whose agents are silent. */
  readonly silent: Set<string>;
  /** Kinds of jobs that agents cannot do. */
  readonly refusing: Set<string>;
  /** What agents were asked, in order. */
  readonly asked: AgentJob[];
  close(): Promise<void>;
}

/** So far ahead agents were seen last: none grows stale while a slow machine works. */
const WITHOUT_END = "interval '1 day'";

interface StageOptions {
  readonly reach?: Reach;
  /** Several form a cluster, whose first is the stage's target. */
  readonly targetNodes?: string[];
  /** Of both hosts. */
  readonly release?: Release;
  /** Left out: as the source's. */
  readonly targetRelease?: Release;
  /** What the limits and pauses of the driver and of jobs go by. */
  readonly stopwatch?: Stopwatch;
  /** Left out: the machine's. */
  readonly clock?: Clock;
}

export async function openMoveStage(options: StageOptions = {}): Promise<MoveStage> {
  const {
    reach,
    targetNodes = ["pveb"],
    release = "9.2",
    targetRelease = release,
    stopwatch = systemStopwatch,
    clock,
  } = options;
  const [sourceHost, targetHost] = await Promise.all([
    startTestHost({ name: "pvea", release }),
    startTestHost({ name: "pveb", release: targetRelease, nodes: targetNodes }),
  ]);
  const services = await createPlatformServices(clock && { clock }, reach, stopwatch);
  const source = { host: sourceHost, hostId: await connectHost(services, sourceHost), node: "pvea" };
  const target = { host: targetHost, hostId: await connectHost(services, targetHost), node: targetNodes[0] ?? "pveb" };
  await services.pool.query(
    `insert into agent (node_id, token_hash, version, healthy, nat_configured, last_seen_at)
     select id, name, '1.0.0', true, true, now() + ${WITHOUT_END} from node`,
  );
  const stage = {
    services,
    stopwatch,
    source,
    target,
    silent: new Set<string>(),
    refusing: new Set<string>(),
    asked: [],
  };
  const ended = new AbortController();
  const agents = answerAgents(stage, ended.signal);
  return {
    ...stage,
    async close() {
      ended.abort();
      await agents;
      await services.close();
      await Promise.all([sourceHost.close(), targetHost.close()]);
    },
  };
}

const WAITING = `
  select j.id, n.name as node, j.kind, j.payload from agent_job j join node n on n.id = j.node_id
  where j.status = 'waiting' order by j.created_at`;

/** A silent agent that speaks again is not asked anew. */
const LOOK_AGAIN_MS = 100;

/** Both agents: they do what is asked of them on the simulated nodes. */
async function answerAgents(stage: Omit<MoveStage, "close">, ended: AbortSignal): Promise<void> {
  const { pool, events } = stage.services;
  let asked = Promise.withResolvers<void>();
  const hear = (): void => asked.resolve();
  const stopHearing = events.on("agentJob", hear);
  ended.addEventListener("abort", hear);
  while (!ended.aborted) {
    asked = Promise.withResolvers<void>();
    const { rows } = await pool.query<AgentJob>(WAITING);
    for (const job of rows) if (!stage.silent.has(job.node)) await answer(stage, job);
    await Promise.race([asked.promise, delay(LOOK_AGAIN_MS, undefined, { ref: false })]);
  }
  stopHearing();
}

async function answer(stage: Omit<MoveStage, "close">, job: AgentJob): Promise<void> {
  const { pool } = stage.services;
  const { id, kind } = job;
  stage.asked.push(job);
  if (stage.refusing.has(kind)) {
    await pool.query(`update agent_job set status = 'failed', error = 'refused', finished_at = now() where id = $1`, [
      id,
    ]);
    return;
  }
  perform(stage, job);
  const data = kind === "tcp_check" ? { reachable: true, error: null } : {};
  await pool.query(`update agent_job set status = 'done', data = $2, finished_at = now() where id = $1`, [
    id,
    JSON.stringify(data),
  ]);
}

function perform({ source, target }: Pick<MoveStage, "source" | "target">, { node, kind, payload }: AgentJob): void {
  if (kind !== "unlock_guest") return;
  const side = [source, target].find((one) => one.node === node);
  const program = payload["type"] === "qemu" ? "qm" : "pct";
  if (side !== undefined) unlock(side.host.platform, node, { program, vmid: String(payload["vmid"]) });
}

export interface GuestToMove {
  readonly type: GuestType;
  readonly vmid: number;
  readonly status: "running" | "stopped";
  /** Of the disk, and of volumes that the configuration states no size of; left out: 1/16. */
  readonly diskGb?: number;
  readonly config?: Record<string, string | number | boolean>;
}

/** Puts a guest on the source and syncs it. @returns its id */
export async function placeAndSync(
  stage: MoveStage,
  { type, vmid, status, diskGb = 0.0625, config = {} }: GuestToMove,
): Promise<number> {
  placeGuest(stage.source.host.platform, {
    type,
    vmid,
    node: stage.source.node,
    name: `guest${vmid}`,
    status,
    memory: 64,
    cores: 1,
    diskGb,
    config: { onboot: 1, ...config },
    snapshots: [],
  });
  await syncHost(stage.services, stage.source.hostId, { thorough: true });
  const { rows } = await stage.services.pool.query<{ id: number }>(
    `select id from guest where host_id = $1 and vmid = $2 and gone_at is null`,
    [stage.source.hostId, vmid],
  );
  return rows[0]?.id ?? 0;
}

/** Agents report, so that none is stale. */
export const beat = ({ services: { pool, clock } }: MoveStage): Promise<unknown> =>
  pool.query(`update agent set last_seen_at = $1::timestamptz + ${WITHOUT_END}`, [clock.now()]);

export const moveInput = (
  stage: MoveStage,
  guestId: number,
  more: Partial<MigrationRequest> = {},
): MigrationRequest => ({
  guestId,
  targetHostId: stage.target.hostId,
  targetNode: stage.target.node,
  ...more,
});

export async function plan(stage: MoveStage, input: MigrationRequest) {
  await beat(stage);
  return (await planMigration(await contextFor(stage.services), input)).plan;
}

export interface QueuedMove {
  readonly migrationId: number;
  readonly jobId: number;
}

export async function queueMove(
  stage: MoveStage,
  guestId: number,
  more: Partial<MigrationRequest> = {},
): Promise<QueuedMove> {
  await beat(stage);
  const migrationId = await startMigration(await contextFor(stage.services), moveInput(stage, guestId, more));
  return { migrationId, jobId: Number((await migrationRow(stage, migrationId))["job_id"]) };
}

export const executorFor = (services: Services, worker = "worker"): Executor =>
  executorOf({ services, worker, stopping: new AbortController().signal });

export const run = (stage: MoveStage, jobId: number): Promise<void> =>
  runJob({ ...executorFor(stage.services), stopwatch: stage.stopwatch }, jobId);

export async function migrationRow(stage: MoveStage, id: number): Promise<Record<string, unknown>> {
  const { rows } = await stage.services.pool.query<Record<string, unknown>>(`select * from migration where id = $1`, [
    id,
  ]);
  return rows[0] ?? {};
}

export const guestOn = ({ host }: Side, vmid: number) => host.platform.state.guests.get(vmid);

/** How many transfers of a guest the source has started. */
export const transfersOf = ({ source }: MoveStage, vmid: number): number =>
  [...source.host.platform.tasks.active(), ...source.host.platform.tasks.archive()].filter(
    ({ type, id }) => (type === "qmigrate" || type === "vzmigrate") && id === String(vmid),
  ).length;

/**
 * What is still held or made for moves: nothing, once they have ended. The record of a token that was not seen to be made stays for a
 * while, in case it is made late.
 */
export async function leftovers({ services, target }: MoveStage): Promise<Record<string, number>> {
  const { rows } = await services.pool.query<Record<string, number>>(
    `select (select count(*) from resource_lock)::int as locks, (select count(*) from vmid_reservation)::int as vmids,
       (select count(*) from ip_address where job_id is not null)::int as addresses,
       (select count(*) from temporary_token where removed_at is null and secret_encrypted is not null)::int as ledger`,
  );
  const users = [...target.host.platform.state.access.users.values()];
  const tokens = users.flatMap((user) => [...user.tokens.keys()]).filter((name) => name.startsWith("mig-")).length;
  const rules = target.host.platform.state.access.rules.filter(({ ugid }) => ugid.includes("!mig-")).length;
  return { ...rows[0], tokens, rules };
}

export const NOTHING_LEFT = { locks: 0, vmids: 0, addresses: 0, ledger: 0, tokens: 0, rules: 0 };

const GIB = 1024 ** 3;

/** Gives a side one more storage for disks, and syncs it. */
export async function addStorage(
  { services }: MoveStage,
  { host, hostId }: Side,
  { name, type, totalGib }: { name: string; type: StorageType; totalGib: number },
): Promise<void> {
  host.platform.state.storages.set(name, {
    name,
    type,
    content: ["images", "rootdir"],
    shared: false,
    enabled: true,
    nodes: null,
    path: name,
    totalBytes: totalGib * GIB,
    foreignBytes: 0,
  });
  await syncHost(services, hostId, { thorough: true });
}
