// Serves liveness, readiness and metrics: `/healthz`, `/readyz`, `/metrics`.
import type { Express, Request, Response } from "express";
import { setTimeout as delay } from "node:timers/promises";
import { metrics } from "./metrics.js";

const CHECK_TIMEOUT_MS = 2_000;

/** Resolves if its part is usable, and rejects with the reason if not. */
type Check = () => Promise<void>;

/** The parts that the process needs to serve, and useful ones, without which it is ready but degraded. */
export interface ReadinessChecks {
  readonly needed: Readonly<Record<"database" | "migrations", Check>>;
  readonly useful: Readonly<Record<"queue" | "work", Check>>;
}

/** The life of the process; only a running one is ready. */
type Phase = "starting" | "running" | "stopping";

/** The health of the process, as its endpoints report it. */
export class Health {
  phase: Phase = "starting";
  #checks: ReadinessChecks | null = null;
  #current: Promise<Readiness> | null = null;

  /** Declares the process running: it is ready as long as the needed checks pass. */
  run(checks: ReadinessChecks): void {
    this.#checks = checks;
    this.phase = "running";
  }

  /** Concurrent callers share one round of checks, because the endpoint is public. */
  readiness(): Promise<Readiness> {
    this.#current ??= this.#check().finally(() => (this.#current = null));
    return this.#current;
  }

  async #check(): Promise<Readiness> {
    if (this.#checks === null || this.phase !== "running") return { ready: false, status: this.phase, checks: {} };
    const { needed, useful } = this.#checks;
    const [required, optional] = await Promise.all([outcomesOf(needed), outcomesOf(useful)]);
    const ready = allFine(required);
    const working = allFine(optional) ? "ready" : "degraded";
    return { ready, status: ready ? working : "not ready", checks: { ...required, ...optional } };
  }
}

/** By part: `ok`, or the fault. */
type Outcomes = Readonly<Record<string, string>>;

const allFine = (outcomes: Outcomes): boolean => Object.values(outcomes).every((outcome) => outcome === "ok");

interface Readiness {
  readonly ready: boolean;
  readonly status: string;
  readonly checks: Outcomes;
}

async function outcomesOf(checks: Readonly<Record<string, Check>>): Promise<Outcomes> {
  const named = Object.entries(checks).map(async ([name, check]) => [name, await outcomeOf(check)] as const);
  return Object.fromEntries(await Promise.all(named));
}

async function outcomeOf(check: () => Promise<void>): Promise<string> {
  const timedOut = new AbortController();
  try {
    await Promise.race([
      check(),
      delay(CHECK_TIMEOUT_MS, undefined, { signal: timedOut.signal }).then(() => {
        throw new Error(`no answer within ${CHECK_TIMEOUT_MS} ms`);
      }),
    ]);
    return "ok";
  } catch (error) {
    return error instanceof Error && error.message !== "" ? error.message : "cannot be reached";
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
