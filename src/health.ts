// Says whether the process is up, and whether it can serve: `/healthz`, `/readyz`, `/metrics`.
import type { Express, Request, Response } from "express";
import { setTimeout as delay } from "node:timers/promises";
import { metrics } from "./metrics.js";

const CHECK_TIMEOUT_MS = 2_000;

/** Each check resolves if its part can be used, with what is to be said of it, if anything; it rejects with the reason if not. */
export type ReadinessChecks = Readonly<
  Record<"database" | "migrations" | "queue" | "work", () => Promise<string | void>>
>;

/** The life of the process; only a running one is ready. */
type Phase = "starting" | "running" | "stopping";

/** The health of the process, as its endpoints report it. */
export class Health {
  phase: Phase = "starting";
  #checks: ReadinessChecks | null = null;
  #current: Promise<Readiness> | null = null;

  /** Declares the process running: it is ready as long as these checks pass. */
  run(checks: ReadinessChecks): void {
    this.#checks = checks;
    this.phase = "running";
  }

  /** Concurrent callers share one round of checks, because anybody may call this endpoint. */
  readiness(): Promise<Readiness> {
    this.#current ??= this.#check().finally(() => (this.#current = null));
    return this.#current;
  }

  async #check(): Promise<Readiness> {
    if (this.#checks === null || this.phase !== "running") return { ready: false, status: this.phase, checks: {} };
    const results = await Promise.all(
      Object.entries(this.#checks).map(async ([name, check]) => [name, await outcomeOf(check)] as const),
    );
    const ready = results.every(([, { usable }]) => usable);
    const checks = Object.fromEntries(results.map(([name, { said }]) => [name, said]));
    return { ready, status: ready ? "ready" : "not ready", checks };
  }
}

interface Readiness {
  readonly ready: boolean;
  readonly status: string;
  /** `ok`, or what is to be said of it, or why not, by part. */
  readonly checks: Readonly<Record<string, string>>;
}

interface Outcome {
  readonly usable: boolean;
  readonly said: string;
}

async function outcomeOf(check: () => Promise<string | void>): Promise<Outcome> {
  const timedOut = new AbortController();
  try {
    const said = await Promise.race([
      check(),
      delay(CHECK_TIMEOUT_MS, undefined, { signal: timedOut.signal }).then(() => {
        throw new Error(`no answer within ${CHECK_TIMEOUT_MS} ms`);
      }),
    ]);
    return { usable: true, said: said ?? "ok" };
  } catch (error) {
    const said = error instanceof Error && error.message !== "" ? error.message : "cannot be reached";
    return { usable: false, said };
  } finally {
    timedOut.abort();
  }
}

/** Mounts the three endpoints. */
export function mountHealth(app: Express, health: Health): void {
  app.get("/healthz", (_request: Request, response: Response) => {
    response.json({ status: "up" });
  });
  app.get("/readyz", async (_request: Request, response: Response) => {
    const { ready, status, checks } = await health.readiness();
    response.status(ready ? 200 : 503).json({ status, checks });
  });
  app.get("/metrics", async (_request: Request, response: Response) => {
    response.type(metrics.contentType).send(await metrics.metrics());
  });
}
