// Loads a server over HTTP from a process of its own: told what to send, it tells how it went.
import { createHistogram, type RecordableHistogram } from "node:perf_hooks";
import { Client, type Dispatcher } from "undici";
import type { Load, LoadReport, LoadRequest } from "./load.js";

process.once("message", (load: Load) => void run(load));

async function run({ url, connections, seconds, requests }: Load): Promise<void> {
  const tally = new Tally();
  const begin = performance.now();
  const connected = Array.from({ length: connections }, (_, connection) => {
    // Each connection has its own: two that send the same at the same time would be easier to serve than real ones.
    const own = requests.filter((_request, index) => index % connections === connection % requests.length);
    return repeat(new Client(url), own, { until: begin + seconds * 1_000, tally });
  });
  await Promise.all(connected);
  process.send?.(tally.report((performance.now() - begin) / 1_000));
  process.disconnect();
}

interface Turn {
  readonly until: number;
  readonly tally: Tally;
}

/** Sends the requests one after the other over one connection, again and again. */
async function repeat(client: Client, requests: readonly LoadRequest[], { until, tally }: Turn): Promise<void> {
  const prepared = requests.map(({ method, path, headers, body = null }) => ({ method, path, headers, body }));
  for (let sent = 0; performance.now() < until; sent++) {
    const request = prepared[sent % prepared.length];
    if (request === undefined) throw new Error("there is nothing to send");
    await send(client, request, tally);
  }
  await client.close();
}

/** Resolves when the answer has been received to its last byte, or there is none: nothing more is done with it. */
function send(client: Client, request: Dispatcher.DispatchOptions, tally: Tally): Promise<void> {
  return new Promise((resolve) => {
    const sentAt = performance.now();
    let status = 0;
    const settle = (problem: string | null): void => {
      tally.count(performance.now() - sentAt, problem);
      resolve();
    };
    client.dispatch(request, {
      onRequestStart() {},
      onResponseStart(_controller, statusCode) {
        status = statusCode;
      },
      onResponseData() {},
      onResponseEnd: () => settle(status === 200 ? null : `answered ${status}`),
      onResponseError: (_controller, error) => settle(error.message),
    });
  });
}

/** How many were answered, how fast, and how many were not as they should be. */
class Tally {
  private readonly microseconds: RecordableHistogram = createHistogram();
  private failures = 0;
  private firstFailure: string | null = null;

  count(tookMs: number, problem: string | null): void {
    this.microseconds.record(Math.max(1, Math.round(tookMs * 1_000)));
    if (problem === null) return;
    this.failures++;
    this.firstFailure ??= problem;
  }

  report(seconds: number): LoadReport {
    const { microseconds, failures, firstFailure } = this;
    return {
      requests: microseconds.count,
      seconds,
      p50Ms: microseconds.percentile(50) / 1_000,
      p99Ms: microseconds.percentile(99) / 1_000,
      failures,
      firstFailure,
    };
  }
}
