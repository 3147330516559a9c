// Lets one backup task a node work at a time; the others wait in their turn.
import { failure } from "../api.js";
import type { Platform } from "../platform.js";
import type { PlatformState } from "../state/platform.js";
import type { Worker } from "../tasks/worker.js";

/** The lock of each node of each platform. */
export class NodeLocks {
  readonly #held = new WeakMap<PlatformState, Map<string, Promise<void>>>();

  /**
   * Waits for the node's lock.
   * @returns gives it back
   * @throws ApiError 500 when it does not come free in time, or the task's own reason when it is stopped
   */
  async take(
    { state, clock }: Platform,
    node: string,
    { task, patienceMs }: { task: Worker; patienceMs: number },
  ): Promise<() => void> {
    const held = this.#held.get(state) ?? new Map<string, Promise<void>>();
    this.#held.set(state, held);
    if (held.has(node)) {
      task.log("INFO: trying to get global lock - waiting...");
      const answered = new AbortController();
      const signal = AbortSignal.any([answered.signal, task.signal]);
      const expired = clock.sleep(patienceMs, signal).then(
        () => true,
        () => true,
      );
      while (held.has(node)) {
        if (!(await Promise.race([held.get(node)?.then(() => false), expired]))) continue;
        task.signal.throwIfAborted();
        throw failure("can't acquire lock '/var/run/vzdump.lock' - got timeout");
      }
      answered.abort();
      task.log("INFO: got global lock");
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    held.set(node, promise);
    return () => {
      held.delete(node);
      resolve();
    };
  }
}
