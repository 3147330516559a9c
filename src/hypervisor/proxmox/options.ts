// The driver's time limits and other settings, with the values that suit real hosts.
import { systemClock, type Clock } from "../../concurrency/clock.js";
import { systemStopwatch, type Stopwatch } from "../../concurrency/stopwatch.js";
import { openAddresses } from "../../core/addressing/closedAddress.js";

/** Every duration in milliseconds. Tests make them short. */
export interface DriverOptions {
  readonly clock: Clock;
  /** What the time limits are measured by. */
  readonly stopwatch: Stopwatch;
  /** Certificates (PEM) of authorities to trust instead of the well-known ones, for hosts without a pinned fingerprint. */
  readonly trustedAuthorities?: readonly string[];
  /** Whether a host may be connected at an address; asked at each connection of each address that the host's name has. Left out: as when the operator opens none. */
  readonly isOpenAddress: (address: string) => boolean;
  /** TCP and TLS together. */
  readonly connectMs: number;
  /**
   * One call with all its repetitions, unless its answer is still arriving. Not shorter than 30 s by much: that is how
   * long the platform's own proxy waits for a slow storage before it says 596.
   */
  readonly callMs: number;
  /** The whole of what somebody waits for at the other end of a request, whose own patience often ends at 30 s. */
  readonly promptMs: number;
  /** So long a look at many things waits for the host's first word: one that is away is not waited for again and again. */
  readonly greetingMs: number;
  /** For so long a job asks a question again that stayed without an answer. */
  readonly patienceMs: number;
  /** For so long a task is followed whose host does not let the credential ask about it: time to give the service a new one. */
  readonly credentialMs: number;
  /** The longest pause inside an answer. */
  readonly answerPauseMs: number;
  /** The longest time for an answer that keeps arriving. */
  readonly longAnswerMs: number;
  /** Waits before the second, third, … attempt of a call that may be repeated. */
  readonly repeatAfterMs: readonly number[];
  /** A call that failed sooner does not make the host dead. */
  readonly noticeableMs: number;
  /** A host that failed is asked again after this time, then after twice as long, up to `longestProbeMs`. */
  readonly firstProbeMs: number;
  readonly longestProbeMs: number;
  /** Age at which a ticket is replaced; the platform ends it after two hours. */
  readonly ticketMs: number;
  /** For so long a refused password is not tried again: the platform delays and may ban who tries too often. */
  readonly refusedLoginMs: number;
  /** First and longest pause between two looks at a running task. */
  readonly firstPollMs: number;
  readonly longestPollMs: number;
  /** Connections a host; more calls at once wait for one. */
  readonly connections: number;
  /** Connections a host for calls that may hang for themselves. */
  readonly slowConnections: number;
  /** Concurrent calls to a host on behalf of requests; further ones are refused with a time to retry. */
  readonly promptCalls: number;
}

const DEFAULTS: Omit<DriverOptions, "clock" | "stopwatch"> = {
  isOpenAddress: openAddresses([]),
  connectMs: 5000,
  callMs: 29_500,
  promptMs: 20_000,
  greetingMs: 3000,
  patienceMs: 20_000,
  credentialMs: 30 * 60_000,
  answerPauseMs: 10_000,
  longAnswerMs: 120_000,
  repeatAfterMs: [150, 600],
  noticeableMs: 1000,
  firstProbeMs: 1000,
  longestProbeMs: 10_000,
  ticketMs: 60 * 60_000,
  refusedLoginMs: 20_000,
  firstPollMs: 150,
  longestPollMs: 2000,
  connections: 16,
  slowConnections: 8,
  promptCalls: 128,
};

/** @returns complete settings: those given, the rest as real hosts want them. */
export const driverOptions = (given: Partial<DriverOptions> = {}): DriverOptions => ({
  clock: systemClock(),
  stopwatch: systemStopwatch,
  ...DEFAULTS,
  ...given,
});
