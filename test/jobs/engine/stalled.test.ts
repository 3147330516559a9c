// A worker that stalls before any of its statements, loses its job to another, and goes on: from then on it changes nothing.
import assert from "node:assert/strict";
import type { Pool } from "pg";
import { runJob } from "../../../jobs/engine/executor.js";
import type { TestServices } from "../../support/services.js";
import { containerRequest, queueGuest, type Stage } from "../creation.js";
import { placeToDelete, queueDeletion } from "../deletion.js";
import { executorFor } from "../killing.js";
import { openMoveStage, placeAndSync, queueMove, type MoveStage } from "../migration/stage.js";
import { CONTAINER_SETTINGS, openReinstallationStage, placeOwned, queueReinstallation } from "../reinstallation.js";
import { differences, tablesOf, type Tables } from "../tables.js";
import { places, triedOf } from "../places.js";

const TAKE_OVER = `
  update job set lease_epoch = lease_epoch + 1, reads = version, lease_until = now() + interval '1 hour', worker = 'another'
  where id = $1 and status = 'running'`;

/** What became of a worker that stalled. */
interface Stall {
  /** False: it had ended before. */
  readonly stalled: boolean;
  /** What it changed after another had taken its job over. */
  readonly changed: Readonly<Record<string, unknown>>;
}

/** What is done at hosts nobody can fence, only what is written of the job. So questions to agents do not count. */
const isOutside = (table: string): boolean => table === "agent_job";

/** Runs the job until this statement, has another worker take it over, and lets the first go on. */
async function runStalled(services: TestServices, jobId: number, statement: number): Promise<Stall> {
  let before: Tables | null = null;
  let count = 0;
  const reach = async (): Promise<void> => {
    if (++count !== statement) return;
    const { rowCount } = await services.pool.query(TAKE_OVER, [jobId]);
    if (rowCount === 1) before = await tablesOf(services.pool);
  };
  await runJob(executorFor({ ...services, pool: stalling(services.pool, reach) }, "stalled"), jobId);
  if (before === null) return { stalled: count >= statement, changed: {} };
  const changed = Object.entries(differences(before, await tablesOf(services.pool)));
  return {
    stalled: true,
    changed: Object.fromEntries(changed.filter(([table]) => !isOutside(table))),
  };
}

/** The pool, of which every statement and every transaction waits for `reach` first. */
function stalling(pool: Pool, reach: () => Promise<void>): Pool {
  const query = async (...parameters: unknown[]): Promise<unknown> => {
    await reach();
    return Reflect.apply(pool.query.bind(pool), pool, parameters);
  };
  const connect = async (): Promise<unknown> => {
    await reach();
    return pool.connect();
  };
  const methods: Readonly<Record<string, unknown>> = { query, connect };
  return new Proxy(pool, { get: (target, key) => Reflect.get(key in methods ? methods : target, key) });
}

/** Has a worker stall before each statement of a job in turn. @param queue makes the job of the given turn */
async function stallEverywhere(
  services: TestServices,
  queue: (turn: number) => Promise<number>,
  least: number,
): Promise<void> {
  let stalls = 0;
  for (const statement of places()) {
    const jobId = await queue(statement);
    const { stalled, changed } = await runStalled(services, jobId, statement);
    assert.deepEqual(changed, {}, `stalled before statement ${statement}`);
    if (!stalled) break;
    stalls++;
  }
  assert.ok(stalls >= triedOf(least), `it stalled at ${stalls} places`);
}

describe("a worker that stalls and comes back after another has taken its job over", function () {
  this.timeout(1_800_000);

  describe("changes nothing", () => {
    let stage: Stage;
    before(async () => {
      stage = await openReinstallationStage();
    });
    after(() => stage.close());

    it("of a creation", () =>
      stallEverywhere(
        stage.services,
        async (turn) => {
          const request = containerRequest({ vmid: 1000 + turn, memoryMb: 16, diskGb: 1 });
          return (await queueGuest(stage, request)).jobId;
        },
        10,
      ));

    it("of a deletion", () =>
      stallEverywhere(
        stage.services,
        async (turn) => {
          await placeToDelete(stage, 2000 + turn, { type: "lxc", memory: 16 });
          return queueDeletion(stage, 2000 + turn, "lxc");
        },
        8,
      ));

    it("of a reinstallation", () =>
      stallEverywhere(
        stage.services,
        async (turn) => {
          const vmid = 3000 + turn;
          await placeOwned(stage, vmid, { type: "lxc", config: CONTAINER_SETTINGS, memory: 16, diskGb: 1 });
          return queueReinstallation(stage, vmid, {}, "lxc");
        },
        15,
      ));
  });

  describe("changes nothing", () => {
    let stage: MoveStage;
    before(async () => {
      stage = await openMoveStage();
    });
    after(() => stage.close());

    it("of a move", () =>
      stallEverywhere(
        stage.services,
        async (turn) => {
          const guestId = await placeAndSync(stage, { type: "lxc", vmid: 4000 + turn, status: "stopped" });
          return (await queueMove(stage, guestId)).jobId;
        },
        20,
      ));
  });
});
