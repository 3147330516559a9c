// How far a move is: bytes that grow with every kind of machine, never pass the total, and end at it.
import assert from "node:assert/strict";
import { releases } from "../../../simulator/version.js";
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
import { until } from "../../support/until.js";

/** The guest has a cloud-init drive, whose file is larger than the drive. */
const CLOUD_INIT = { ide2: "local:VMID/vm-VMID-cloudinit.qcow2,media=cdrom,size=4M" };

interface Seen {
  readonly total: number;
  /** Every figure that was seen, in order. */
  readonly figures: readonly number[];
  readonly progress: readonly number[];
  readonly row: Record<string, unknown>;
}

async function watchMove(stage: MoveStage, guest: GuestToMove, bytesPerSecond: number): Promise<Seen> {
  const config = Object.fromEntries(
    Object.entries(guest.config ?? {}).map(([key, value]) => [
      key,
      String(value).replaceAll("VMID", String(guest.vmid)),
    ]),
  );
  const { migrationId, jobId } = await queueMove(stage, await placeAndSync(stage, { ...guest, config }));
  await setSpeed(stage.source, { bytesPerSecond });
  const figures: number[] = [];
  const progress: number[] = [];
  let isOver = false;
  const running = run(stage, jobId).finally(() => (isOver = true));
  await until("the move has ended", async () => {
    const { bytes_copied: copied } = await migrationRow(stage, migrationId);
    if (copied !== null) figures.push(Number(copied));
    const { rows } = await stage.services.pool.query<{ progress: number }>(`select progress from job where id = $1`, [
      jobId,
    ]);
    progress.push(rows[0]?.progress ?? 0);
    return isOver;
  });
  await running;
  await setSpeed(stage.source, { bytesPerSecond: 1e9 });
  const row = await migrationRow(stage, migrationId);
  return { total: Number(row["bytes_total"]), figures, progress, row };
}

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
  const between = new Set(figures.filter((figure) => figure > total / 10 && figure < total * 0.9));
  assert.ok(between.size >= 3, `${[...between].join(" ")} of ${total}`);
  assert.equal(Number(row["bytes_copied"]), total);
}

describe("progress of a move", function () {
  this.timeout(1_800_000);

  for (const release of releases) {
    describe(`between hosts of ${release}`, () => {
      let stage: MoveStage;
      before(async () => {
        stage = await openMoveStage({ release });
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
          checkGrowth(await watchMove(stage, guest, 2e5));
        });
      }

      it("grows to the total in an offline move, however large the files of its drives are", async () => {
        const guest: GuestToMove = { type: "qemu", vmid: 6110, status: "stopped", config: CLOUD_INIT };
        const seen = await watchMove(stage, guest, 1e5);
        // Before 8.1 the platform tells a figure at the end of each volume only.
        if (release !== "7.4") return checkGrowth(seen);
        assert.ok(seen.figures.every((figure) => figure <= seen.total) && isSorted(seen.figures));
        assert.equal(Number(seen.row["bytes_copied"]), seen.total);
      });
    });
  }
});
