// Loads a server over HTTP from a process of its own: told what to send, it tells how it went.
import autocannon from "autocannon";
import type { Load, LoadReport } from "./load.js";

process.once("message", (load: Load) => void run(load));

async function run({ url, connections, seconds, requests }: Load): Promise<void> {
  const all = requests.map(({ method, path, headers, body }) => ({ method, path, headers, ...(body && { body }) }));
  let started = 0;
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    requests: all.slice(0, 1),
    // Each connection has its own: two that send the same at the same time would be easier to serve than real ones, and to
    // prepare all requests for every connection would take longer than the measurement.
    setupClient(client) {
      const own = all.filter((_, index) => index % connections === started % all.length);
      client.setRequests(own);
      started++;
    },
  });
  const report: LoadReport = {
    requests: result.requests.total,
    seconds: result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    failures: result.non2xx + result.errors,
  };
  process.send?.(report);
  process.disconnect();
}
