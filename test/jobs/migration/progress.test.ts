// How far a move is: bytes that grow with every kind of machine, never pass the total, and end at it.
import assert from "node:assert/strict";
import { releases } from "../../../simulator/version.js";
import { MIB } from "../../../src/core/units.js";
import { changedHosts } from "../changedHosts.js";
import { setSpeed } from "./faults.js";
import {
  migrationRow,
  openMoveStage,
  placeAndSync,
  queueMove,
  run,
  type GuestToMove,
  type MoveStage,
} from "./stage.js";
import { withoutPauses } from "../../support/handTime.js";
import { until } from "../../support/until.js";

/** The service looks at a transfer as often as the machine can, at most this many milliseconds apart otherwise. */
const LONGEST_PAUSE_MS = 2000;

/** The guest has a cloud-init drive, whose file is larger than the drive. */
const CLOUD_INIT = { ide2: "local:VMID/vm-VMID-cloudinit.qcow2,media=cdrom,size=4M" };

interface Seen {
  readonly total: number;
  /** Every figure that was seen, in order. */
  readonly figures: readonly number[];
  readonly progress: readonly number[];
  readonly row: Record<string, unknown>;
}

/**
 * Paces of the copying, which goes on in steps of a simulated second: none that counts until its first figure is on record; then a
 * hundredth of all bytes in 20 ms, until enough figures were seen; then as fast as it can.
 */
const PACES = {
  beginning: () => ({ bytesPerSecond: 1000 }),
  watched: (total: number) => ({ bytesPerSecond: total / 100, timeFactor: 50 }),
  rest: () => ({ bytesPerSecond: 1e9, timeFactor: 500 }),
};

async function watchMove(stage: MoveStage, guest: GuestToMove, begin: "beginning" | "rest"): Promise<Seen> {
  const config = Object.fromEntries(
    Object.entries(guest.config ?? {}).map(([key, value]) => [
      key,
      String(value).replaceAll("VMID", String(guest.vmid)),
    ]),
  );
  const { migrationId, jobId } = await queueMove(stage, await placeAndSync(stage, { ...guest, config }));
  let pace: keyof typeof PACES = begin;
  await setSpeed(stage.source, PACES[begin]());
  const figures: number[] = [];
  const progress: number[] = [];
  let isOver = false;
  const running = run(stage, jobId).finally(() => (isOver = true));
  await until("the move has ended", async () => {
    const { bytes_copied: copied, bytes_total: total } = await migrationRow(stage, migrationId);
    if (copied !== null) figures.push(Number(copied));
    const { rows } = await stage.services.pool.query<{ progress: number }>(`select progress from job where id = $1`, [
      jobId,
    ]);
    progress.push(rows[0]?.progress ?? 0);
    if (pace === "beginning" && copied !== null) {
      pace = "watched";
      await setSpeed(stage.source, PACES.watched(Number(total)));
    }
    if (pace === "watched" && between(figures, Number(total)).size >= ENOUGH) {
      pace = "rest";
      await setSpeed(stage.source, PACES.rest());
    }
    return isOver;
  });
  await running;
  await setSpeed(stage.source, PACES.rest());
  const row = await migrationRow(stage, migrationId);
  return { total: Number(row["bytes_total"]), figures, progress, row };
}

/** The figures that show the copying under way, between a tenth and nine tenths of it. */
const between = (figures: readonly number[], total: number): Set<number> =>
  new Set(figures.filter((figure) => figure > total / 10 && figure < total * 0.9));

const ENOUGH = 3;

const isSorted = (figures: readonly number[]): boolean =>
  figures.every((figure, index) => index === 0 || figure >= (figures[index - 1] ?? 0));

function checkGrowth({ total, figures, progress, row }: Seen): void {
  assert.equal(row["status"], "done", String(row["error"]));
  assert.ok(total > 0);
  assert.ok(isSorted(figures) && isSorted(progress), `${figures.join(" ")}; ${progress.join(" ")}`);
  assert.ok(
    figures.every((figure) => figure <= total),
    `${figures.join(" ")} of ${total}`,
  );
  const seen = between(figures, total);
  assert.ok(seen.size >= ENOUGH, `${[...seen].join(" ")} of ${total}`);
  assert.equal(Number(row["bytes_copied"]), total);
}

describe("progress of a move", function () {
  this.timeout(1_800_000);

  it("is read from the log by the volumes that are copied as they lie, and their known sizes", async () => {
    const stage = await openMoveStage();
    try {
      const watched: unknown[] = [];
      const hypervisors = changedHosts(stage.services.hypervisors, (host) => ({
        watchTransfer: (upid, asked) => {
          watched.push(Object.fromEntries(asked.volumes));
          return host.watchTransfer(upid, asked);
        },
      }));
      for (const [vmid, status] of [
        [6120, "running"],
        [6121, "stopped"],
      ] as const) {
        const config = { ide2: CLOUD_INIT.ide2.replaceAll("VMID", String(vmid)) };
        const { jobId } = await queueMove(stage, await placeAndSync(stage, { type: "qemu", vmid, status, config }));
        await run({ ...stage, services: { ...stage.services, hypervisors } }, jobId);
      }
      assert.deepEqual(watched, [
        { "local:6120/vm-6120-cloudinit.qcow2": 4 * MIB },
        { "local:6121/vm-6121-cloudinit.qcow2": 4 * MIB, "local:6121/vm-6121-disk-0.qcow2": 64 * MIB },
      ]);
    } finally {
      await stage.close();
    }
  });

  for (const release of releases) {
    describe(`between hosts of ${release}`, () => {
      let stage: MoveStage;
      before(async () => {
        stage = await openMoveStage({ release, stopwatch: withoutPauses(LONGEST_PAUSE_MS) });
      });
      after(() => stage.close());

      const machines: [name: string, machine: string | undefined][] = [
        ["no machine type stated", undefined],
        ["q35", "q35"],
        ["an older machine type", "pc-i440fx-7.1"],
      ];
      // Live moves of 7.4 fail in the platform itself.
      for (const [index, [name, machine]] of release === "7.4" ? [] : machines.entries()) {
        it(`grows to the total in a live move with ${name}`, async () => {
          const config = { ...CLOUD_INIT, ...(machine !== undefined && { machine }) };
          const guest: GuestToMove = { type: "qemu", vmid: 6100 + index, status: "running", config };
          checkGrowth(await watchMove(stage, guest, "beginning"));
        });
      }

      it("grows to the total in an offline move, however large the files of its drives are", async () => {
        const guest: GuestToMove = { type: "qemu", vmid: 6110, status: "stopped", config: CLOUD_INIT };
        if (release !== "7.4") return checkGrowth(await watchMove(stage, guest, "beginning"));
        // Before 8.1 the platform tells a figure at the end of each volume only.
        const seen = await watchMove(stage, guest, "rest");
        assert.ok(seen.figures.every((figure) => figure <= seen.total) && isSorted(seen.figures));
        assert.equal(Number(seen.row["bytes_copied"]), seen.total);
      });
    });
  }
});
