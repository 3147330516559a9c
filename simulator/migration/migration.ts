// Runs the phases of a migration task in Proxmox VE's order, whatever goes wrong in them (AbstractMigrate).
import { failure } from "../api.js";
import type { Platform } from "../platform.js";
import type { Guest } from "../state/guest.js";
import type { Worker } from "../tasks/worker.js";
import type { Endpoint } from "./endpoint.js";
import { clockDuration } from "./figures.js";
import type { IdMap } from "./idMap.js";
import { MigrationLog } from "./migrationLog.js";
import type { Tunnel } from "./tunnelClient.js";

/** Time until a worker has read everything and reached the target. */
const startUpMs = 250;

/** What a migration was asked to do. */
export interface MigrationOrder {
  endpoint: Endpoint;
  targetNode: string;
  targetVmid: number;
  storages: IdMap;
  bridges: IdMap;
  online: boolean;
  restart: boolean;
  /** Removes the source after success. */
  remove: boolean;
  /** KiB/s; null unlimited. */
  bandwidth: number | null;
  /** Seconds that a container gets to shut down. */
  timeout: number;
}

/** One migration under way. */
export class Migration {
  readonly log: MigrationLog;
  tunnel: Tunnel | null = null;
  /** Source volume → target volume. */
  readonly volumeMap = new Map<string, string>();
  #elapsedMs = 0;

  constructor(
    readonly platform: Platform,
    readonly task: Worker,
    readonly guest: Guest,
    readonly order: MigrationOrder,
  ) {
    this.log = new MigrationLog(task, platform.clock);
  }

  /** Simulated seconds since the start. */
  get elapsed(): number {
    return this.#elapsedMs / 1000;
  }

  /** Waits; a stop request interrupts it. */
  async sleep(milliseconds: number): Promise<void> {
    await this.task.sleep(milliseconds);
    this.#elapsedMs += milliseconds;
  }

  /** Waits while cleaning up, which neither a stop request nor an ordered failure interrupts. */
  async rest(milliseconds: number): Promise<void> {
    await this.platform.clock.sleep(milliseconds, this.task.killSignal);
    this.#elapsedMs += milliseconds;
  }

  /** Ends the tunnel and waits for its process, as PVE::Tunnel does. */
  async finishTunnel(cleanup: boolean): Promise<void> {
    const { tunnel } = this;
    this.tunnel = null;
    if (tunnel === null) return;
    try {
      await tunnel.finish(cleanup);
    } finally {
      await this.rest(1000);
    }
  }

  /** @throws Error when the tunnel has not been opened, or not any more */
  openTunnel(): Tunnel {
    if (this.tunnel === null) throw failure("writing to tunnel failed: broken pipe");
    return this.tunnel;
  }
}

/** The guest type's part of a migration. */
export interface Procedure {
  /** @returns true when a running guest goes over live */
  prepare(): Promise<boolean>;
  /** Everything up to the configuration on the target. */
  phase1(): Promise<void>;
  phase1Cleanup(): Promise<void>;
  /** The live part. */
  phase2(): Promise<void>;
  phase2Cleanup(): Promise<void>;
  phase3Cleanup(): Promise<void>;
  finalCleanup(): Promise<void>;
}

/**
 * Runs a migration to its end.
 * @throws ApiError "migration aborted" or "migration problems"; the reasons are in the log
 */
export async function migrate(migration: Migration, procedure: Procedure): Promise<void> {
  const { log } = migration;
  let hasErrors: boolean;
  try {
    hasErrors = await new Phases(migration, procedure).run();
  } catch (error) {
    abandonIfKilled(migration);
    const words = wordsOf(error, migration);
    log.error(`migration aborted (duration ${clockDuration(migration.elapsed)}): ${words}`);
    // What failed before the phases that clean up leaves a tunnel, which breaks when its process ends.
    migration.tunnel?.interrupt();
    throw failure("migration aborted");
  }
  const duration = clockDuration(migration.elapsed);
  if (hasErrors) {
    log.error(`migration finished with problems (duration ${duration})`);
    throw failure("migration problems");
  }
  log.info(`migration finished successfully (duration ${duration})`);
}

class Phases {
  #hasErrors = false;

  constructor(
    private readonly migration: Migration,
    private readonly procedure: Procedure,
  ) {}

  /** @returns true when something failed after the point of no return */
  async run(): Promise<boolean> {
    const { procedure } = this;
    await this.migration.sleep(startUpMs);
    const running = await procedure.prepare();
    await this.#phase1();
    if (running) await this.#phase2();
    await this.#note(() => procedure.phase3Cleanup());
    await this.#note(() => procedure.finalCleanup());
    return this.#hasErrors;
  }

  async #phase1(): Promise<void> {
    const { migration, procedure } = this;
    try {
      await procedure.phase1();
    } catch (error) {
      abandonIfKilled(migration);
      const words = wordsOf(error, migration);
      migration.log.error(words);
      await this.#note(() => procedure.phase1Cleanup());
      await this.#note(() => procedure.finalCleanup());
      throw failure(words);
    }
  }

  async #phase2(): Promise<void> {
    const { migration, procedure } = this;
    try {
      await procedure.phase2();
    } catch (error) {
      abandonIfKilled(migration);
      this.#hasErrors = true;
      migration.log.error(`online migrate failure - ${wordsOf(error, migration)}`);
      await this.#note(() => procedure.phase2Cleanup());
    }
  }

  /** Errors of cleaning up are logged and do not stop it. */
  async #note(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      abandonIfKilled(this.migration);
      this.#hasErrors = true;
      this.migration.log.error(wordsOf(error, this.migration));
    }
  }
}

/** A killed process cleans nothing up; all that happens is that its connections break. */
function abandonIfKilled({ task, tunnel }: Migration): void {
  if (!task.dead) return;
  tunnel?.interrupt();
  task.killSignal.throwIfAborted();
}

/** An error as the log has it; a stop request kills the tunnel as well. */
function wordsOf(error: unknown, { task, tunnel }: Migration): string {
  if (error === task.signal.reason) {
    tunnel?.interrupt();
    return "interrupted by signal";
  }
  return error instanceof Error ? error.message : String(error);
}
