// A simulated Proxmox VE platform, a standalone node or a cluster: its state, clock, tasks, locks and access control.
import { Credentials } from "./access/credentials.js";
import { Permissions } from "./access/permissions.js";
import { SimulatedClock } from "./clock.js";
import type { PlatformOptions } from "./create.js";
import { createState } from "./create.js";
import { GuestLocks } from "./state/guestLocks.js";
import type { PlatformState } from "./state/platform.js";
import { TaskEngine } from "./tasks/engine.js";
import type { Release } from "./version.js";
import { releaseFacts } from "./version.js";

/** The platform that API methods work on; `callMethod` dispatches to them. */
export class Platform {
  readonly release: Release;
  /** Version of QEMU on every node. */
  readonly qemu: string;
  readonly name: string;
  readonly clock: SimulatedClock;
  readonly state: PlatformState;
  readonly tasks: TaskEngine;
  readonly locks: GuestLocks;
  readonly credentials: Credentials;
  readonly permissions: Permissions;
  readonly tunnelPatienceMs: number;

  constructor(options: PlatformOptions) {
    this.release = options.release;
    this.qemu = options.qemu ?? releaseFacts(options.release).qemu;
    this.name = options.name;
    this.clock = new SimulatedClock(options.timeFactor);
    this.state = createState(options, this.clock.now());
    const { bytesPerSecond = 200 * 1024 ** 2, stopGraceMs } = options;
    this.tasks = new TaskEngine(this.clock, { bytesPerSecond, graceMs: stopGraceMs });
    this.locks = new GuestLocks(this.clock);
    this.credentials = new Credentials(this.state.access, this.clock, this.release);
    this.permissions = new Permissions(this.state.access);
    this.tunnelPatienceMs = options.tunnelPatienceMs ?? 300_000;
  }

  /** First member: the one asked when a request names none. */
  get firstNode(): string {
    const [first] = this.state.nodes.keys();
    if (first === undefined) throw new Error("a platform has at least one node");
    return first;
  }
}

/** Makes a platform from its description. */
export function createPlatform(options: PlatformOptions): Platform {
  return new Platform(options);
}
