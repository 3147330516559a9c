// Keeps the simulated host's time: wall-clock now, and waits that pass `timeFactor` times faster than life.

interface Waiting {
  remainingMs: number;
  since: number;
  timer: NodeJS.Timeout;
  wake: () => void;
}

/** Changes of pace that are remembered. */
const keptPaces = 10_000;

/** Real "now" (so that expiries mean the same to callers), accelerated waiting. */
export class SimulatedClock {
  #factor: number;
  /** When which pace began, oldest first; milliseconds since the epoch. */
  readonly #paces: { since: number; factor: number }[] = [];
  readonly #waiting = new Set<Waiting>();

  constructor(timeFactor = 1) {
    this.#factor = checkedFactor(timeFactor);
    this.#paces.push({ since: 0, factor: this.#factor });
  }

  /** How many times faster than life simulated work runs. */
  get timeFactor(): number {
    return this.#factor;
  }

  /** Changes the pace; waits under way keep what they have done and go on at the new pace. */
  set timeFactor(factor: number) {
    const next = checkedFactor(factor);
    for (const waiting of this.#waiting) {
      waiting.remainingMs -= (performance.now() - waiting.since) * this.#factor;
      clearTimeout(waiting.timer);
      this.#arm(waiting, next);
    }
    this.#factor = next;
    this.#paces.push({ since: this.now(), factor: next });
    if (this.#paces.length > keptPaces) this.#paces.shift();
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return Date.now();
  }

  /** Whole seconds since the epoch, as Proxmox VE counts. */
  seconds(): number {
    return Math.floor(this.now() / 1000);
  }

  /** Simulated milliseconds that have passed since this moment, at whatever pace it was. */
  passedSince(epochMs: number): number {
    let passed = 0;
    let until = this.now();
    for (const { since, factor } of this.#paces.toReversed()) {
      passed += Math.max(0, until - Math.max(since, epochMs)) * factor;
      until = Math.min(until, since);
      if (since <= epochMs) break;
    }
    return passed;
  }

  /**
   * Waits `simulatedMs` divided by the time factor.
   * @throws the signal's reason when it is aborted meanwhile
   */
  sleep(simulatedMs: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { remainingMs: simulatedMs, since: 0, timer: setTimeout(() => {}, 0), wake: () => {} };
      const leave = (): void => {
        clearTimeout(waiting.timer);
        this.#waiting.delete(waiting);
        signal?.removeEventListener("abort", abort);
      };
      const abort = (): void => {
        leave();
        reject(abortReason(signal));
      };
      waiting.wake = () => {
        leave();
        resolve();
      };
      clearTimeout(waiting.timer);
      signal?.addEventListener("abort", abort, { once: true });
      this.#waiting.add(waiting);
      this.#arm(waiting, this.#factor);
    });
  }

  #arm(waiting: Waiting, factor: number): void {
    waiting.since = performance.now();
    waiting.timer = setTimeout(waiting.wake, Math.max(0, waiting.remainingMs / factor));
  }
}

function abortReason(signal: AbortSignal | undefined): Error {
  return signal?.reason instanceof Error ? signal.reason : new Error("aborted");
}

function checkedFactor(factor: number): number {
  if (!Number.isFinite(factor) || factor <= 0) throw new RangeError("time factor must be a positive number");
  return factor;
}
