// Serialises work on a guest's configuration, as Proxmox VE's lock files do; waiting is limited and shows in the task log.
import { failure } from "../api.js";
import type { SimulatedClock } from "../clock.js";
import type { Guest } from "./guest.js";

interface Lock {
  readers: number;
  writer: boolean;
  waiting: Set<() => void>;
}

/** How to take a lock. */
interface LockOptions {
  /** Simulated milliseconds to wait; Proxmox VE's default is 10 s. */
  timeoutMs?: number;
  /** Many holders at a time, none of them exclusive. */
  shared?: boolean;
  /** Told that the lock is busy, then that it was taken. */
  log?: (line: string) => void;
  signal?: AbortSignal;
}

/** Lock files of all guests. */
export class GuestLocks {
  readonly #locks = new Map<number, Lock>();

  constructor(private readonly clock: SimulatedClock) {}

  /**
   * Runs `work` while holding the guest's lock.
   * @throws ApiError 500 when the lock does not come free in time
   */
  async hold<T>(
    guest: Pick<Guest, "type" | "vmid">,
    work: () => T | Promise<T>,
    options: LockOptions = {},
  ): Promise<T> {
    const shared = options.shared ?? false;
    const lock = this.#locks.get(guest.vmid) ?? { readers: 0, writer: false, waiting: new Set() };
    this.#locks.set(guest.vmid, lock);
    if (!isFree(lock, shared)) await this.#wait(guest, lock, options);
    take(lock, shared);
    try {
      return await work();
    } finally {
      release(lock, shared);
    }
  }

  async #wait(guest: Pick<Guest, "type" | "vmid">, lock: Lock, options: LockOptions): Promise<void> {
    options.log?.("trying to acquire lock...");
    const answered = new AbortController();
    const signals = options.signal === undefined ? [answered.signal] : [answered.signal, options.signal];
    const expired = this.clock.sleep(options.timeoutMs ?? 10_000, AbortSignal.any(signals)).then(
      () => true,
      () => true,
    );
    while (!isFree(lock, options.shared ?? false)) {
      if (await Promise.race([nextRelease(lock), expired])) {
        options.signal?.throwIfAborted();
        throw failure(`can't lock file '${lockFile(guest)}' - got timeout`);
      }
    }
    answered.abort();
    options.log?.(" OK");
  }
}

/** Resolves, with false, when a holder lets go. */
function nextRelease(lock: Lock): Promise<false> {
  const { promise, resolve } = Promise.withResolvers<false>();
  const wake = (): void => {
    lock.waiting.delete(wake);
    resolve(false);
  };
  lock.waiting.add(wake);
  return promise;
}

function isFree(lock: Lock, shared: boolean): boolean {
  return !lock.writer && (shared || lock.readers === 0);
}

function take(lock: Lock, shared: boolean): void {
  if (shared) lock.readers += 1;
  else lock.writer = true;
}

function release(lock: Lock, shared: boolean): void {
  if (shared) lock.readers -= 1;
  else lock.writer = false;
  for (const wake of lock.waiting) wake();
}

function lockFile(guest: Pick<Guest, "type" | "vmid">): string {
  return guest.type === "qemu"
    ? `/var/lock/qemu-server/lock-${guest.vmid}.conf`
    : `/run/lock/lxc/pve-config-${guest.vmid}.lock`;
}
