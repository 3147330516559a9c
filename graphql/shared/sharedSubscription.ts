// One subscription for all clients that ask the same and may see the same: a change is read and executed once for all of them.
import { setImmediate as otherWork } from "node:timers/promises";
import type { ExecutionResult } from "graphql";
import type { LiveEvent, LiveSource } from "../../src/events/liveSource.js";
import { Subscriber, type End, type Outlet, type Shared } from "./subscriber.js";

/** After so many deliveries other work has its turn. */
const DELIVERIES_AT_ONCE = 250;

interface SharedParts {
  readonly source: LiveSource;
  /** Executes the operation for an event. */
  readonly execute: (event: LiveEvent) => Promise<ExecutionResult>;
  /** Called once, when nobody can join any more: the last subscriber has left, or the source has ended. */
  readonly over: () => void;
}

export class SharedSubscription implements Shared {
  readonly #parts: SharedParts;
  readonly #subscribers = new Set<Subscriber>();
  #isRunning = false;
  #isOver = false;
  #resume: (() => void) | null = null;

  constructor(parts: SharedParts) {
    this.#parts = parts;
  }

  /** Resolves when the subscriber's first result has been read, if the source has a first. @returns null when it was over before */
  async join(outlet: Outlet): Promise<Subscriber | null> {
    if (this.#isOver) return null;
    const { source } = this.#parts;
    const subscriber = new Subscriber(this, outlet);
    this.#subscribers.add(subscriber);
    // Read again for each: the record may have gone out of sight since the last change.
    const started = source.first === null ? true : subscriber.started();
    if (source.first !== null) source.request(source.first);
    this.#resume?.();
    if (!this.#isRunning) void this.#run();
    return (await started) ? subscriber : null;
  }

  caughtUp(): void {
    this.#resume?.();
  }

  leave(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
    if (this.#subscribers.size === 0) this.#close();
    this.#resume?.();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      await this.#deliverAll();
      this.#finish({});
    } catch (error) {
      this.#finish({ fault: error instanceof Error ? error : new Error(String(error)) });
    }
  }

  async #deliverAll(): Promise<void> {
    for await (const event of this.#parts.source) {
      await this.#deliver(event, await this.#parts.execute(event));
      await this.#untilAnyCaughtUp();
    }
  }

  async #deliver(event: LiveEvent, result: ExecutionResult): Promise<void> {
    let delivered = 0;
    for (const subscriber of this.#subscribers) {
      subscriber.take(event, result);
      delivered += 1;
      if (delivered % DELIVERIES_AT_ONCE === 0) await otherWork();
    }
  }

  /** While all clients lag, nothing is read: a later reading brings the later state. */
  async #untilAnyCaughtUp(): Promise<void> {
    while (!this.#isOver && this.#doAllLag) {
      await new Promise<void>((resolve) => {
        this.#resume = resolve;
      });
    }
  }

  get #doAllLag(): boolean {
    for (const { isLagging } of this.#subscribers) if (!isLagging) return false;
    return true;
  }

  #finish(end: End): void {
    this.#close();
    for (const subscriber of this.#subscribers) subscriber.finish(end);
  }

  #close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#parts.over();
    void this.#parts.source.return();
  }
}
