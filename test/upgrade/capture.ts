// Makes a database of a release whose workers were killed with jobs of every kind at every step, and the hosts that belong to it.
// To be run on the tree of that release; a later one reads what it writes: see docs/engineering.md, "A release".
import { writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { runJob } from "../../jobs/engine/executor.js";
import type { RunningHost } from "../../simulator/host.js";
import { placeGuest } from "../../simulator/scenarios/placeGuest.js";
import { createIpZone } from "../../src/actions/catalogue/ipZone.js";
import { deleteGuest } from "../../src/actions/guest/deleteGuest.js";
import { reinstallGuest } from "../../src/actions/guest/reinstallGuest.js";
import { deleteSafetyCopies } from "../../src/actions/guest/safetyCopy.js";
import { startBalanceRun } from "../../src/actions/run/balanceRun.js";
import { startEvacuation } from "../../src/actions/run/evacuation.js";
import { suggestionId } from "../../src/core/balance/suggestionId.js";
import type { GuestType } from "../../src/core/enums.js";
import { syncHost } from "../../src/inventory/syncHost.js";
import { CONTAINER_TEMPLATE, queueGuest, type Stage } from "../jobs/creation.js";
import { executorFor } from "../jobs/killing.js";
import { beat, queueMove, run, type MoveStage } from "../jobs/migration/stage.js";
import { connectHost, startTestHost } from "../support/platform.js";
import { contextFor } from "../support/viewers.js";
import { addressOf, hex, networkOf, openStage, zoneOf } from "./captureStage.js";
import { changesOf, hostState, tablesOf, type Capture, type KilledJob } from "./captured.js";
import { dying, STATEMENT, watchStatements, type Place } from "./watched.js";
import { until } from "../support/until.js";

const WAITS_MS = 2_000;

class Capturing {
  readonly #killed: KilledJob[] = [];
  #vmid = 1000;

  constructor(
    private readonly stage: MoveStage,
    private readonly creations: Stage,
  ) {}

  get killed(): readonly KilledJob[] {
    return this.#killed;
  }

  /** Kills job after job a statement later each, until one comes to its end; that one is left out. */
  async everyStop(
    kind: string,
    make: (vmid: number) => Promise<number>,
    { stride = 1, transactions = false } = {},
  ): Promise<void> {
    for (let statement = 1, died = true; died; statement += stride) {
      const vmid = this.#vmid++;
      const jobId = await make(vmid);
      died = await this.kill(jobId, { statement, moment: statement % 2 === 0 ? "after" : "before", transactions });
      if (died || transactions) this.#killed.push({ jobId, kind, vmid, stop: statement });
    }
    process.stderr.write(`${kind}: ${this.#killed.length}\n`);
  }

  /** @returns whether it was killed at the statement; false: it came to its end before, or was killed while it waited for a move */
  async kill(jobId: number, at: Place): Promise<boolean> {
    const { services } = this.stage;
    const { pool, death, die } = dying(services.pool, at);
    const executor = { ...executorFor({ ...services, pool }, "killed"), stopping: death };
    const work = runJob(executor, jobId).catch((error: unknown) => {
      if (!death.aborted) throw error;
    });
    if (!at.transactions) {
      await work;
      return death.aborted;
    }
    // Nobody carries out the moves of a run.
    const waits = (await Promise.race([work, delay(WAITS_MS, "waits")])) === "waits";
    if (waits) die();
    await work;
    return death.aborted && !waits;
  }

  note(killed: KilledJob): void {
    this.#killed.push(killed);
  }

  get nextVmid(): number {
    return this.#vmid++;
  }

  /** A guest of the customer with an address of the host's zone. @returns its id */
  async place(
    vmid: number,
    type: GuestType,
    status: "running" | "stopped",
    side: { host: RunningHost; hostId: number; node: string } = this.stage.source,
  ): Promise<number> {
    const [place, gateway] = [addressOf(side.hostId, vmid), `${networkOf(side.hostId)}.1`];
    const config: Record<string, string | number> =
      type === "qemu"
        ? { onboot: 1, ipconfig0: `ip=${place}/16,gw=${gateway}` }
        : {
            onboot: 1,
            net0: `name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:${hex(vmid >> 8)}:${hex(vmid & 255)},ip=${place}/16,gw=${gateway},type=veth`,
          };
    placeGuest(side.host.platform, {
      type,
      vmid,
      node: side.node,
      name: `guest${vmid}`,
      status,
      memory: 64,
      cores: 1,
      diskGb: 0.0625,
      config,
      snapshots: [],
    });
    const { services } = this.stage;
    await syncHost(services, side.hostId, { thorough: true });
    const { rows } = await services.pool.query<{ id: number }>(
      `update guest set owner_id = 1 where host_id = $1 and vmid = $2 and gone_at is null returning id`,
      [side.hostId, vmid],
    );
    return rows[0]?.id ?? 0;
  }

  async capture(): Promise<void> {
    const { stage, creations } = this;
    const { services, source, target } = stage;
    const { hostId } = source;
    const context = await contextFor(services);
    for (const type of ["qemu", "lxc"] as const) {
      await this.everyStop(`guest_create ${type}`, async (vmid) => {
        const image = type === "qemu" ? `tpl:${creations.templateId}` : CONTAINER_TEMPLATE;
        const size = { cores: 1, memoryMb: 64, diskGb: 2 };
        const { jobId } = await queueGuest(creations, {
          type,
          node: "pvea",
          name: `guest${vmid}`,
          vmid,
          ...size,
          ownerId: 1,
          ipSource: "zone:1",
          osTemplate: image,
          password: "correct horse",
        });
        return jobId;
      });
      await this.everyStop(`guest_reinstall ${type}`, async (vmid) => {
        const osTemplate = type === "qemu" ? `tpl:${creations.templateId}` : CONTAINER_TEMPLATE;
        await this.place(vmid, type, "running");
        return (await reinstallGuest(context, { hostId, type, vmid }, { osTemplate, password: "correct horse" })).jobId;
      });
      await this.everyStop(`guest_delete ${type}`, async (vmid) => {
        await this.place(vmid, type, "running");
        return (await deleteGuest(context, { hostId, type, vmid })).jobId;
      });
      for (const status of ["running", "stopped"] as const) {
        const stride = status === "running" ? 1 : 3;
        await this.everyStop(
          `migration ${type} ${status}`,
          async (vmid) => {
            const guestId = await this.place(vmid, type, status);
            return (await queueMove(stage, guestId, { ipZoneId: 2 })).jobId;
          },
          { stride },
        );
      }
    }
    await this.everyStop("safety_copy_delete", async (vmid) => {
      const guestId = await this.place(vmid, "qemu", "stopped");
      await run(stage, (await queueMove(stage, guestId, { ipZoneId: 2 })).jobId);
      const { rows } = await services.pool.query<{ id: number }>(
        `select id from guest where vmid = $1 and safety_copy and gone_at is null`,
        [vmid],
      );
      const [job] = await deleteSafetyCopies(context, [rows[0]?.id ?? 0]);
      return job?.jobId ?? 0;
    });
    await this.everyStop(
      "balance_run",
      async (vmid) => {
        const guestId = await this.place(vmid, "qemu", "running");
        await this.keepCurrent();
        const move = { guestId, fromHostId: hostId, fromNode: source.node };
        const id = suggestionId({ ...move, toHostId: target.hostId, toNode: target.node });
        return this.jobOf(await startBalanceRun(context, [id]));
      },
      { stride: 3, transactions: true },
    );
    await this.evacuations();
  }

  /** One host each: of a host only one evacuation may be under way. */
  async evacuations(): Promise<void> {
    const { services } = this.stage;
    for (const [index, statement] of [0, 4, 9, 400].entries()) {
      const name = `pve${"cdef"[index]}`;
      const host = await startTestHost({ name });
      const hostId = await connectHost(services, host);
      await services.pool.query(
        `insert into agent (node_id, token_hash, version, healthy, nat_configured, last_seen_at)
         select id, name, '1.0.0', true, true, now() from node where host_id = $1`,
        [hostId],
      );
      const side = { host, hostId, node: name };
      this.further.push(side);
      await createIpZone(await contextFor(services), zoneOf(hostId));
      const vmids = [this.nextVmid, this.nextVmid];
      const guestIds = [];
      for (const vmid of vmids) guestIds.push(await this.place(vmid, "qemu", "stopped", side));
      await this.keepCurrent();
      const request = { hostId, guestIds, targetHostId: this.stage.target.hostId, ipZoneId: 2 };
      const jobId = await this.jobOf(await startEvacuation(await contextFor(services), request));
      if (statement > 0) await this.kill(jobId, { statement, moment: "after", transactions: true });
      for (const move of await this.queuedMoves(jobId))
        await this.kill(move, { statement: 24, moment: "after", transactions: false });
      for (const vmid of vmids) this.note({ jobId, kind: "evacuation", vmid, stop: statement });
    }
  }

  readonly further: { host: RunningHost; hostId: number; node: string }[] = [];

  async queuedMoves(jobId: number): Promise<number[]> {
    const { rows } = await this.stage.services.pool.query<{ id: number }>(
      `select m.job_id as id from migration m join run r on r.id = m.evacuation_id where r.job_id = $1`,
      [jobId],
    );
    return rows.map(({ id }) => id);
  }

  async jobOf(runId: number): Promise<number> {
    const { rows } = await this.stage.services.pool.query<{ id: number }>(
      `select job_id as id from run where id = $1`,
      [runId],
    );
    return rows[0]?.id ?? 0;
  }

  async keepCurrent(): Promise<void> {
    await beat(this.stage);
    await this.stage.services.pool.query(`update host set last_sync_at = now()`);
  }
}

const [file = "capture.json", release = "?"] = (process.env["CAPTURE"] ?? "").split(",");

describe("a release", () => {
  it("is captured", async function () {
    this.timeout(1_800_000);
    const seen = watchStatements();
    const { stage, creations } = await openStage();
    const capturing = new Capturing(stage, creations);
    await capturing.capture();
    const hosts = [stage.source.host, stage.target.host, ...capturing.further.map(({ host }) => host)];
    // Of what a transfer told nothing is read again.
    await stage.services.pool.query(`update migration set log = '{}'`);
    // What was under way on the hosts ends without its worker.
    await until("no task runs", () => hosts.every(({ platform }) => platform.tasks.active().length === 0));
    const captured: Capture = {
      release,
      changes: await changesOf(stage.services),
      statements: [...seen].filter((text) => STATEMENT.test(text)).toSorted(),
      jobs: capturing.killed,
      hosts: hosts.map(hostState),
      tables: await tablesOf(stage.services),
    };
    await writeFile(file, gzipSync(JSON.stringify(captured), { level: 9 }));
    for (const { host } of capturing.further) await host.close();
    await stage.close();
  });
});
