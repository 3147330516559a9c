// Moves a running VM: mirrors its disks, then its memory, and hands it over to the target.
import { hasActiveMirrors, hasBlockNodes, runningMachine } from "../qemu/machineTypes.js";
import type { WebSocket } from "ws";
import { failure } from "../api.js";
import { memoryBytes } from "../qemu/sizing.js";
import { atLeast } from "../version.js";
import { bytesPerSecond, effectiveBandwidth } from "./bandwidth.js";
import { renderBytes, renderDuration } from "./figures.js";
import type { Migration } from "./migration.js";
import type { ContentMessage } from "./protocol.js";

/** A drive to mirror. */
export interface Mirror {
  key: string;
  bytes: number;
  hasSystem: boolean;
  /** KiB/s; null unlimited. */
  bandwidth: number | null;
  /** Volume and drive string on the target. */
  volid: string;
  target: string;
}

/** Memory that QEMU sends for the machine itself. */
const deviceBytes = 17_460_000;
/** What an idle machine sends in all. */
const leastSent = 1_017_139;
const socketError =
  "failed to write forwarding command - Insecure dependency in unlink while running with -T switch at /usr/share/perl5/PVE/Tunnel.pm line 212.";

/** The live part of a VM's migration. */
export class LiveTransfer {
  #sockets: WebSocket[] = [];
  readonly #wasPaused: boolean;

  constructor(
    private readonly migration: Migration,
    private readonly mirrors: readonly Mirror[],
  ) {
    this.#wasPaused = migration.guest.runtime?.qmpstatus === "paused";
  }

  async run(): Promise<void> {
    const { guest, log } = this.migration;
    const sockets = await this.#startTarget();
    if (this.mirrors.length > 0) await this.#mirrorDisks(sockets.disks);
    log.info(`starting online/live migration on unix:/run/qemu-server/${guest.vmid}.migrate`);
    await this.#sendMemory(sockets.memory);
    this.migration.task.endWork();
    await this.#completeMirrors();
  }

  /** The source stops, the target goes on. */
  async handOver(): Promise<void> {
    const { log } = this.migration;
    const tunnel = this.migration.openTunnel();
    if (this.mirrors.length > 0) {
      log.info("stopping NBD storage migration server on target.");
      await tunnel.command("nbdstop");
    }
    if (!this.#wasPaused) await tunnel.command("resume");
    await this.migration.rest(2000);
  }

  /** A machine that had given everything away goes on where it was. */
  rollBack(): void {
    const { runtime } = this.migration.guest;
    if (runtime?.qmpstatus === "postmigrate") runtime.qmpstatus = this.#wasPaused ? "paused" : "running";
  }

  async #startTarget(): Promise<{ memory: string; disks: string }> {
    const { platform, guest, log } = this.migration;
    const machine = runningMachine(platform, guest);
    const nbd = Object.fromEntries(this.mirrors.map(({ key, target }) => [key, target]));
    const reply = await this.migration.openTunnel().command("start", { forcemachine: machine, nbd });
    log.info(`Setting up tunnel for '/run/qemu-server/${guest.vmid}.migrate'`);
    // The daemon of releases before 8.3 runs in taint mode, and the name of the socket came from outside.
    if (!atLeast(platform.release, "8.4")) throw failure(socketError);
    if (this.mirrors.length > 0) log.info(`Setting up tunnel for '/run/qemu-server/${guest.vmid}_nbd.migrate'`);
    return { memory: String(reply.memory), disks: String(reply.disks) };
  }

  async #mirrorDisks(socket: string): Promise<void> {
    const { log, guest } = this.migration;
    log.info("starting storage migration");
    const ready: Mirror[] = [];
    for (const mirror of this.mirrors) {
      const uri = `nbd:unix:/run/qemu-server/${guest.vmid}_nbd.migrate:exportname=drive-${mirror.key}`;
      log.info(`${mirror.key}: start migration to ${uri}`);
      this.#sockets.push(await this.migration.openTunnel().forward(socket));
      await this.#mirrorDisk(mirror);
      ready.push(mirror);
      log.raw("all 'mirror' jobs are ready");
    }
    if (hasActiveMirrors(this.migration.platform)) this.#mirrorActively();
  }

  /** From then on a write of the machine ends only when the target has it too. */
  #mirrorActively(): void {
    const { log } = this.migration;
    log.info("switching mirror jobs to actively synced mode");
    for (const job of this.#jobs()) log.raw(`${job}: switching to actively synced mode`);
    for (const job of this.#jobs()) log.raw(`${job}: successfully switched to actively synced mode`);
  }

  #jobs(): string[] {
    return this.mirrors.map(({ key }) => this.#jobOf(key)).toSorted();
  }

  #jobOf(key: string): string {
    const { platform, guest } = this.migration;
    return `${hasBlockNodes(runningMachine(platform, guest)) ? "mirror" : "drive"}-${key}`;
  }

  async #mirrorDisk(mirror: Mirror): Promise<void> {
    const { log } = this.migration;
    const { key, bandwidth } = mirror;
    const limit = bandwidth === null ? "" : ` with bandwidth limit: ${bandwidth} KiB/s`;
    log.raw(`drive mirror is starting for drive-${key}${limit}`);
    try {
      await this.#followMirror(mirror);
    } catch (error) {
      this.#logCancelled(error, key);
    }
  }

  async #followMirror({ key, bytes, bandwidth, volid, hasSystem }: Mirror): Promise<void> {
    const { log } = this.migration;
    const job = this.#jobOf(key);
    log.raw(`${job}: ${mirrorProgress(0, bytes, 0)}`);
    let done = 0;
    for (let seconds = 1; done < bytes; seconds += 1) {
      await this.migration.sleep(1000);
      this.#checkConnection();
      done = Math.min(bytes, done + bytesPerSecond(this.migration, bandwidth));
      const suffix = done === bytes ? ", ready" : "";
      log.raw(`${job}: ${mirrorProgress(done, bytes, seconds)}${suffix}`);
      this.#tell({ received: Math.floor(done), volid, hasSystem });
    }
    await this.#writtenThrough();
  }

  /** A mirror is ready when the target has written everything, not when it was sent. */
  async #writtenThrough(): Promise<void> {
    const socket = this.#sockets.at(-1);
    if (socket?.readyState === socket?.OPEN) {
      await new Promise<void>((resolve) => {
        socket?.once("pong", () => resolve()).once("close", () => resolve());
        socket?.ping();
      });
    }
    this.#checkConnection();
  }

  /** Stopping in the middle cancels the job; the words are those of the block job's monitor. */
  #logCancelled(error: unknown, key: string): never {
    const { log, task, tunnel } = this.migration;
    if (task.dead) throw error;
    const interrupted = error === task.signal.reason;
    const job = this.#jobOf(key);
    log.raw(`${job}: Cancelling block job`);
    if (interrupted) tunnel?.interrupt();
    log.raw(`WARN: ${job}: Operation canceled (io-status: ok)`);
    log.raw(`${job}: Done.`);
    const words = error instanceof Error ? error.message : String(error);
    throw failure(`block job (mirror) error: ${interrupted ? "interrupted by signal" : words}`);
  }

  async #sendMemory(socket: string): Promise<void> {
    const { log, guest } = this.migration;
    log.info("set migration capabilities");
    const limit = await effectiveBandwidth(this.migration);
    if (limit !== null) log.info(`migration speed limit: ${renderBytes(limit * 1024)}/s`);
    log.info(`migration downtime limit: ${Number(guest.config.migrate_downtime ?? 0.1) * 1000} ms`);
    log.info(`migration cachesize: ${renderBytes(cacheSize(memoryBytes(guest.config)))}`);
    log.info("set migration parameters");
    log.info(`start migrate command to unix:/run/qemu-server/${guest.vmid}.migrate`);
    this.#sockets.push(await this.migration.openTunnel().forward(socket));
    await this.#followMemory(limit);
  }

  async #followMemory(limit: number | null): Promise<void> {
    const { log, guest } = this.migration;
    const total = memoryBytes(guest.config) + deviceBytes;
    const toSend = Math.max(leastSent, guest.runtime?.memoryBytes ?? 0);
    const rate = bytesPerSecond(this.migration, limit);
    let sent = 0;
    let seconds = 0;
    while (sent < toSend) {
      await this.migration.sleep(1000);
      this.#checkConnection();
      seconds += 1;
      sent = Math.min(toSend, sent + rate);
      if (sent < toSend) {
        const progress = `transferred ${renderBytes(sent)} of ${renderBytes(total)} VM-state, ${renderBytes(rate)}/s`;
        log.info(`migration active, ${progress}`);
      }
    }
    const downtime = 8 + (guest.vmid % 60);
    log.info(`average migration speed: ${renderBytes(total / seconds)}/s - downtime ${downtime} ms`);
    log.info(`migration completed, transferred ${renderBytes(sent)} VM-state`);
    log.info("migration status: completed");
    const used = guest.runtime?.memoryBytes ?? 0;
    if (guest.runtime !== null) guest.runtime.qmpstatus = "postmigrate";
    this.#tell({ end: Math.floor(sent), seconds, memoryBytes: used });
  }

  async #completeMirrors(): Promise<void> {
    if (this.mirrors.length === 0) return;
    const { log } = this.migration;
    const jobs = this.#jobs();
    log.raw("all 'mirror' jobs are ready");
    for (const job of jobs) {
      log.raw(`${job}: Completing block job...`);
      log.raw(`${job}: Completed successfully.`);
    }
    await this.migration.sleep(1000);
    for (const job of jobs) log.raw(`${job}: mirror-job finished`);
  }

  #checkConnection(): void {
    const socket = this.#sockets.at(-1);
    if (socket !== undefined && socket.readyState !== socket.OPEN) throw failure("Input/output error (io-status: ok)");
  }

  #tell(message: ContentMessage): void {
    this.#sockets.at(-1)?.send(JSON.stringify(message));
  }
}

function mirrorProgress(done: number, total: number, seconds: number): string {
  const percent = ((done * 100) / total).toFixed(2);
  return `transferred ${renderBytes(done)} of ${renderBytes(total)} (${percent}%) in ${renderDuration(seconds)}`;
}

/** A tenth of the memory, rounded up to a power of two. */
function cacheSize(memory: number): number {
  return 2 ** Math.ceil(Math.log2(memory / 10));
}
