// Ordinary callers as a process of its own: each asks one thing again and again, with a pause as people and programs make it, and tells how long it took.
import { createHistogram } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "undici";
import { whenStarterIsGone } from "../starter.js";
import type { Errand, Ordinary, OrdinaryReport } from "./callers.js";

whenStarterIsGone(() => process.exit());
process.on("message", (order: Ordinary) => void run(order));

async function run({ url, seconds, errands }: Ordinary): Promise<void> {
  const callers = await Promise.all(errands.map(async (errand) => ({ errand, client: await connected(url, errand) })));
  const until = performance.now() + seconds * 1000;
  process.send?.(await Promise.all(callers.map((caller) => repeat(url, caller, until))));
}

/** A connection that an ordinary caller has had for long. */
async function connected(url: string, errand: Errand): Promise<Client> {
  const client = new Client(url);
  await ask(client, errand);
  await delay(Math.random() * errand.pauseMs);
  return client;
}

interface Caller {
  readonly errand: Errand;
  readonly client: Client;
}

async function repeat(url: string, { errand, client: first }: Caller, until: number): Promise<OrdinaryReport> {
  const { name, pauseMs, connectsAnew } = errand;
  const microseconds = createHistogram();
  let failures = 0;
  let client = first;
  while (performance.now() < until) {
    const begin = performance.now();
    const isAnswered = await ask(client, errand);
    microseconds.record(Math.max(1, Math.round((performance.now() - begin) * 1000)));
    if (!isAnswered) failures++;
    if (connectsAnew) {
      void client.close();
      client = new Client(url);
    }
    await delay(pauseMs);
  }
  await client.close();
  return { name, p99Ms: microseconds.percentile(99) / 1000, asked: microseconds.count, failures };
}

/** @returns whether it was a success */
async function ask(client: Client, { request: { method, path, headers, body } }: Errand): Promise<boolean> {
  try {
    const answer = await client.request({ method, path, headers, body: body ?? null });
    const text = await answer.body.text();
    return answer.statusCode === 200 && !text.startsWith('{"errors"');
  } catch {
    return false;
  }
}
