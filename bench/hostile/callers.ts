// Measures what ordinary callers wait, by what they ask.
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { LoadRequest } from "../load/load.js";

const program = fileURLToPath(new URL("ordinary.js", import.meta.url));

/** One thing that somebody asks again and again. */
export interface Errand {
  readonly name: string;
  readonly request: LoadRequest;
  /** Between an answer and the next request. */
  readonly pauseMs: number;
  /** Whether each request has a connection of its own, as a load balancer's. */
  readonly connectsAnew: boolean;
}

/** What ordinary callers are to do. */
export interface Ordinary {
  readonly url: string;
  readonly seconds: number;
  readonly errands: readonly Errand[];
}

const report = z.object({ name: z.string(), p99Ms: z.number(), asked: z.number(), failures: z.number() });

export type OrdinaryReport = z.infer<typeof report>;

/** Callers that come from another address than all attacks. */
export class OrdinaryCallers {
  readonly #child: ChildProcess = fork(program);

  async measure(order: Ordinary): Promise<readonly OrdinaryReport[]> {
    const told = once(this.#child, "message");
    this.#child.send(order);
    const [message] = await told;
    return z.array(report).parse(message);
  }

  async leave(): Promise<void> {
    const gone = once(this.#child, "exit");
    this.#child.disconnect();
    await gone;
  }
}
