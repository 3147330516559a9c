// What a plan says of how long a move takes: the average of earlier moves on its route, and the pace that the route has shown in its mode.
import assert from "node:assert/strict";
import { graphql } from "graphql";
import { buildDroverSchema } from "../../../resolvers/buildSchema.js";
import { findMovingGuest, loadMoveRecords } from "../../../src/migration/moveRecords.js";
import type { MigrationMode, MigrationStatus } from "../../../src/core/enums.js";
import { contextOf } from "../../support/context.js";
import { anyToken, contextFor } from "../../support/viewers.js";
import { beat, migrationRow, openMoveStage, placeAndSync, queueMove, run, type MoveStage } from "./stage.js";

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
/** Of every guest here: its disk alone while it is stopped, with its RAM while it runs. */
const DISK = 64 * MIB;

interface Earlier {
  readonly toNode?: string;
  readonly mode?: MigrationMode;
  readonly status?: MigrationStatus;
  /** Null: nobody knew. */
  readonly bytes: number | null;
  readonly seconds: number;
  readonly many?: number;
  /** MiB/s that it was limited to; left out: its job is gone. */
  readonly bandwidthMib?: number | null;
  /** Whether it was started again. */
  readonly again?: boolean;
}

/** Jobs wait for a day, so that those of later moves are made before earlier ones begin. */
const EARLIER = `
  with made as (
    insert into job (kind, status, host_id, created_at, started_at, finished_at, input)
    select 'migration', 'done', $1, $2::timestamptz + case when $10 then interval '1 second' else interval '-1 day' end, $2, $2,
      json_build_object('bandwidthMib', $8::int)
    from generate_series(1, $7::int) where $9 returning id),
  numbered as (
    select n, (select array_agg(id) from made)[n] as job_id from generate_series(1, $7::int) n)
  insert into migration (job_id, guest_id, guest_name, guest_type, vmid, target_vmid, source_host_id, source_node, target_host_id,
    target_node, mode, status, error, bytes_total, started_at, finished_at)
  select job_id, 900, 'gone', 'qemu', 900, 900, $1, 'pvea', $3, $4, $5, $6, case when $6 = 'failed' then 'it broke' end, $11::bigint,
    $2::timestamptz, $2::timestamptz + $12 * interval '1 second'
  from numbered`;

const pace = (bytes: number, seconds: number) => [{ mode: "offline", bytes, seconds }];

interface Summary {
  readonly bytesToCopy: number;
  readonly expectedSeconds: number | null;
  readonly bytesPerSecond: number | null;
  readonly transferSeconds: number | null;
}

describe("jobs/migration: how long a move takes", function () {
  this.timeout(300_000);
  let stage: MoveStage;
  let stopped = 0;
  let running = 0;
  let container = 0;
  /** Each call of `earlier` is later than the one before. */
  let hours = 0;

  before(async () => {
    stage = await openMoveStage({ targetNodes: ["pveb", "pvec"] });
    stopped = await placeAndSync(stage, { type: "qemu", vmid: 801, status: "stopped" });
    running = await placeAndSync(stage, { type: "qemu", vmid: 802, status: "running" });
    container = await placeAndSync(stage, { type: "lxc", vmid: 803, status: "running" });
  });
  after(() => stage.close());
  afterEach(async () => {
    await stage.services.pool.query(`delete from migration`);
    await stage.services.pool.query(`update setting set migration_bandwidth_mib = null`);
  });

  const earlier = async (move: Earlier): Promise<void> => {
    const { toNode = "pveb", mode = "offline", status = "done", bytes, seconds, many = 1, again = false } = move;
    hours += 1;
    const at = new Date(Date.UTC(2026, 0, 1, hours));
    const hasJob = again || move.bandwidthMib !== undefined;
    const { source, target, services } = stage;
    const values = [
      source.hostId,
      at,
      target.hostId,
      toNode,
      mode,
      status,
      many,
      move.bandwidthMib ?? null,
      hasJob,
      again,
    ];
    await services.pool.query(EARLIER, [...values, bytes, seconds]);
  };

  const ask = async <Answer>(source: string): Promise<Answer> => {
    await beat(stage);
    const contextValue = contextOf(stage.services, anyToken);
    const { data, errors } = await graphql({ schema: buildDroverSchema(), source, contextValue });
    assert.deepEqual(errors, undefined);
    return JSON.parse(JSON.stringify(data));
  };

  const summary = async (guestId: number, more = "", toNode = "pveb"): Promise<Summary> => {
    const input = `{ guestId: ${guestId}, targetHostId: ${stage.target.hostId}, targetNode: "${toNode}" ${more} }`;
    const { migrationPlan } = await ask<{ migrationPlan: { summary: Summary } }>(
      `{ migrationPlan(input: ${input}) { summary { bytesToCopy expectedSeconds bytesPerSecond transferSeconds } } }`,
    );
    return migrationPlan.summary;
  };

  const paceOf = async (...asked: Parameters<typeof summary>) => (await summary(...asked)).bytesPerSecond;

  it("is unknown where nothing has moved", async () => {
    await earlier({ bytes: GIB, seconds: 100, toNode: "pvec" });
    await earlier({ bytes: GIB, seconds: 100, status: "failed" });
    assert.deepEqual(await summary(stopped), {
      bytesToCopy: DISK,
      expectedSeconds: null,
      bytesPerSecond: null,
      transferSeconds: null,
    });
  });

  it("is the average of all modes, and the bytes of this move at the pace of its own mode and route", async () => {
    await earlier({ mode: "offline", bytes: 4 * GIB, seconds: 1024 });
    await earlier({ mode: "live", bytes: 8 * GIB, seconds: 1024, status: "done_with_warnings" });
    await earlier({ mode: "restart", bytes: GIB, seconds: 1024 });
    await earlier({ toNode: "pvec", mode: "offline", bytes: 64 * GIB, seconds: 1000 });
    assert.deepEqual(await summary(stopped), {
      bytesToCopy: DISK,
      expectedSeconds: 1024,
      bytesPerSecond: 4 * MIB,
      transferSeconds: 16,
    });
    assert.deepEqual(await summary(running), {
      bytesToCopy: 2 * DISK,
      expectedSeconds: 1024,
      bytesPerSecond: 8 * MIB,
      transferSeconds: 16,
    });
    assert.deepEqual(await summary(container), {
      bytesToCopy: DISK,
      expectedSeconds: 1024,
      bytesPerSecond: MIB,
      transferSeconds: 64,
    });
    assert.deepEqual(await summary(stopped, "", "pvec"), {
      bytesToCopy: DISK,
      expectedSeconds: 1000,
      bytesPerSecond: (64 * GIB) / 1000,
      transferSeconds: 1,
    });
  });

  it("shows no pace for a mode that the route has not seen", async () => {
    await earlier({ mode: "live", bytes: GIB, seconds: 60 });
    assert.deepEqual(await summary(stopped), {
      bytesToCopy: DISK,
      expectedSeconds: 60,
      bytesPerSecond: null,
      transferSeconds: null,
    });
  });

  it("adds bytes and seconds up: a long move counts for more than a short one", async () => {
    await earlier({ bytes: 2 * GIB, seconds: 100 });
    await earlier({ bytes: 2 * GIB, seconds: 900 });
    assert.equal(await paceOf(stopped), (4 * GIB) / 1000);
  });

  it("goes by the newest twenty of many moves, and averages them all", async () => {
    await earlier({ bytes: GIB, seconds: 10, many: 180 });
    await earlier({ mode: "live", bytes: GIB, seconds: 1, many: 30 });
    await earlier({ bytes: GIB, seconds: 101, many: 1 });
    await earlier({ bytes: GIB, seconds: 201, many: 19 });
    const { expectedSeconds, bytesPerSecond } = await summary(stopped);
    assert.equal(expectedSeconds, Math.round((180 * 10 + 30 + 101 + 19 * 201) / 230));
    assert.equal(bytesPerSecond, (20 * GIB) / (101 + 19 * 201));
  });

  it("averages durations as ever: half a second is rounded up", async () => {
    await earlier({ bytes: null, seconds: 100 });
    await earlier({ bytes: null, seconds: 101 });
    assert.equal((await summary(stopped)).expectedSeconds, 101);
  });

  it("learns no pace from moves that copied little or nothing, or took no time", async () => {
    await earlier({ bytes: GIB - 1, seconds: 60 });
    await earlier({ bytes: 0, seconds: 60 });
    await earlier({ bytes: null, seconds: 60 });
    await earlier({ bytes: GIB, seconds: 0 });
    const { expectedSeconds, bytesPerSecond } = await summary(stopped);
    assert.deepEqual([expectedSeconds, bytesPerSecond], [45, null]);
  });

  it("leaves out those that a user has started again", async () => {
    await earlier({ bytes: GIB, seconds: 90_000, again: true });
    assert.deepEqual([await paceOf(stopped), (await summary(stopped)).expectedSeconds], [null, null]);
    await earlier({ bytes: GIB, seconds: 64, bandwidthMib: null });
    assert.deepEqual([await paceOf(stopped), (await summary(stopped)).expectedSeconds], [16 * MIB, 64]);
  });

  it("never exceeds the limit of this move, its own or the setting's", async () => {
    await earlier({ bytes: GIB, seconds: 64 });
    assert.equal(await paceOf(stopped, "bandwidthMib: 8"), 8 * MIB);
    assert.equal((await summary(stopped, "bandwidthMib: 8")).transferSeconds, 8);
    assert.equal(await paceOf(stopped, "bandwidthMib: 32"), 16 * MIB);
    await stage.services.pool.query(`update setting set migration_bandwidth_mib = 4`);
    assert.equal(await paceOf(stopped), 4 * MIB);
    assert.equal(await paceOf(stopped, "bandwidthMib: 8"), 8 * MIB);
  });

  it("leaves out moves with a stricter limit than this one's", async () => {
    await earlier({ bytes: GIB, seconds: 128, bandwidthMib: 8 });
    assert.deepEqual(
      [await paceOf(stopped), await paceOf(stopped, "bandwidthMib: 9"), await paceOf(stopped, "bandwidthMib: 8")],
      [null, null, 8 * MIB],
    );
    await earlier({ bytes: GIB, seconds: 64, bandwidthMib: 16 });
    await earlier({ bytes: GIB, seconds: 32 });
    assert.deepEqual(
      [await paceOf(stopped), await paceOf(stopped, "bandwidthMib: 16"), await paceOf(stopped, "bandwidthMib: 8")],
      [32 * MIB, 16 * MIB, 8 * MIB],
    );
    assert.equal((await summary(stopped)).expectedSeconds, Math.round((128 + 64 + 32) / 3));
  });

  it("keeps routes and limits apart that are asked about together", async () => {
    await earlier({ bytes: GIB, seconds: 64, bandwidthMib: 100 });
    await earlier({ bytes: GIB, seconds: 128, bandwidthMib: 10 });
    await earlier({ bytes: GIB, seconds: 256, bandwidthMib: null, toNode: "pvec" });
    const { pool } = stage.services;
    const guest = await findMovingGuest(pool, stopped);
    const question = (targetNode: string, bandwidthMib: number | null) => ({
      guest,
      node: guest.node,
      request: { targetHostId: stage.target.hostId, targetNode, ipZoneId: null, bandwidthMib },
    });
    const questions = [question("pveb", null), question("pveb", 10), question("pveb", 100), question("pvec", null)];
    const recordsOf = await loadMoveRecords(pool, questions, null);
    assert.deepEqual(
      questions.map((one) => recordsOf(one).route),
      [
        { averageSeconds: 96, paces: [] },
        { averageSeconds: 96, paces: pace(2 * GIB, 192) },
        { averageSeconds: 96, paces: pace(GIB, 64) },
        { averageSeconds: 256, paces: pace(GIB, 256) },
      ],
    );
  });

  it("is shown for each candidate of an evacuation", async () => {
    await earlier({ mode: "live", bytes: GIB, seconds: 1024 });
    const { evacuationCandidates } = await ask<{ evacuationCandidates: readonly Record<string, unknown>[] }>(
      `{ evacuationCandidates(hostId: ${stage.source.hostId}, targetHostId: ${stage.target.hostId}, targetNode: "pveb") {
        mode expectedSeconds transferSeconds } }`,
    );
    assert.deepEqual(evacuationCandidates, [
      { mode: "OFFLINE", expectedSeconds: 1024, transferSeconds: null },
      { mode: "LIVE", expectedSeconds: 1024, transferSeconds: 128 },
      { mode: "RESTART", expectedSeconds: 1024, transferSeconds: null },
    ]);
  });

  it("decides how long the temporary token is valid, by whichever estimate is longer", async () => {
    await contextFor(stage.services);
    await earlier({ bytes: 0, seconds: 1, many: 2_000 });
    await earlier({ bytes: GIB, seconds: 360_000 });
    const { expectedSeconds, transferSeconds } = await summary(stopped);
    assert.deepEqual([expectedSeconds, transferSeconds], [181, 22_500]);
    const { migrationId, jobId } = await queueMove(stage, stopped);
    await run(stage, jobId);
    assert.equal((await migrationRow(stage, migrationId))["status"], "done");
    const { rows } = await stage.services.pool.query<{ seconds: number }>(
      `select extract(epoch from expires_at - created_at)::int as seconds from temporary_token where job_id = $1`,
      [jobId],
    );
    assert.equal(rows.length, 1);
    assert.ok((rows[0]?.seconds ?? 0) > 4 * 22_500 - 600, `${rows[0]?.seconds} s`);
  });
});
