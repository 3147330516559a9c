// Concludes from an agent's log whether the service will get a heartbeat of it.
import type { Log } from "../agent/log.js";

/** A minute and a half at least, by the agent's own pauses. */
const MOST_FAILURES = 8;

/** The node is off; the token is not the current one; nobody listens at the control address, for its host does not run. */
const FINAL = [/^node \S+ is off: no heartbeat$/, /the service answered 40[13]\b/, /\bECONNREFUSED\b/];
/** Of a service that is busy the agent asks again when it may. */
const BUSY = /the service answered (?:429|503)\b/;

export class AgentReport {
  #last = "";
  /** In a row. */
  #failures = 0;

  readonly log: Log = {
    info: (message) => this.#tell(message),
    warn: (message) => this.#tell(message),
    error: (message) => this.#tell(message),
  };

  /** The agent's last words. */
  get last(): string {
    return this.#last;
  }

  /** Why no heartbeat is to be expected; null while one is. */
  get silence(): string | null {
    return this.#failures >= MOST_FAILURES || FINAL.some((words) => words.test(this.#last)) ? this.#last : null;
  }

  #tell(message: string): void {
    this.#last = message;
    if (!message.startsWith("heartbeat failed")) this.#failures = 0;
    else if (!BUSY.test(message)) this.#failures += 1;
  }
}
