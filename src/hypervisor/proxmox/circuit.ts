// A circuit breaker: remembers that a host is dead, so that nobody waits for it twice, and lets a probe through from time to time. Those of
// the libraries count failures; here a single call that waited without an answer decides, and any answer reverses it.
import type { Clock } from "../../concurrency/clock.js";
import type { Fault } from "./fault.js";

/** Pauses in milliseconds. */
interface CircuitPauses {
  /** A call that failed sooner kept nobody waiting: others may find out for themselves, and find the host as soon as it is back. */
  readonly noticeableMs: number;
  readonly firstProbeMs: number;
  readonly longestProbeMs: number;
}

/** What `admit` says: ask, ask as the probe of a dead host, or do not ask. */
type Admission =
  | { readonly kind: "open" | "probe" }
  | { readonly kind: "dead"; readonly since: Date; readonly fault: Fault };

interface Death {
  readonly since: Date;
  /** By the clock that never jumps. */
  readonly at: number;
  readonly fault: Fault;
  readonly pauseMs: number;
  nextProbeAt: number;
}

/**
 * One host's circuit. A call that waited and ended without any answer makes the host dead, unless the host answered another
 * call meanwhile: then that call is slow, not the host. Any answer, of whatever status, brings the host back.
 */
export class Circuit {
  readonly #pauses: CircuitPauses;
  readonly #clock: Clock;
  readonly #milliseconds: () => number;
  #lastAnswerAt = Number.NEGATIVE_INFINITY;
  #death: Death | null = null;

  /** @param milliseconds a clock that never jumps. */
  constructor(pauses: CircuitPauses, clock: Clock, milliseconds: () => number) {
    this.#pauses = pauses;
    this.#clock = clock;
    this.#milliseconds = milliseconds;
  }

  /** Whether a call may be sent. Each probe moves the next one away, also while it is still under way. */
  admit(): Admission {
    const death = this.#death;
    if (death === null) return { kind: "open" };
    const now = this.#milliseconds();
    if (now < death.nextProbeAt) return { kind: "dead", since: death.since, fault: death.fault };
    death.nextProbeAt = now + death.pauseMs;
    return { kind: "probe" };
  }

  answered(): void {
    this.#lastAnswerAt = this.#milliseconds();
    this.#death = null;
  }

  /** @param startedAt when the call that ended without an answer began, by the same clock. */
  failed(startedAt: number, fault: Fault): void {
    const known = this.#death;
    const saysNothingNew = this.#lastAnswerAt >= startedAt || (known !== null && startedAt < known.at);
    if (saysNothingNew) return;
    const { noticeableMs, firstProbeMs, longestProbeMs } = this.#pauses;
    const now = this.#milliseconds();
    if (now - startedAt < noticeableMs) {
      this.#death = null;
      return;
    }
    const pauseMs = known === null ? firstProbeMs : Math.min(known.pauseMs * 2, longestProbeMs);
    const { since, at } = known ?? { since: this.#clock.now(), at: now };
    this.#death = { since, at, fault, pauseMs, nextProbeAt: now + pauseMs };
  }
}
