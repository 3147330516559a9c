// A first start on one's own machine: the embedded database, the first password, and a second start that finds it all again.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eraseEmbeddedPostgres } from "../../../src/db/embedded.js";
import { silentLog } from "../../support/log.js";
import { apiClient, firstPassword, Processes } from "./support/processes.js";

describe("a service with its embedded database", function () {
  this.timeout(300_000);
  let data: string;
  let processes: Processes;
  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), "drover-service-"));
    processes = new Processes({ DROVER_DATA: data, DROVER_SECRET: "" });
  });
  afterEach(async () => {
    await processes.end();
    await eraseEmbeddedPostgres(data, silentLog);
    await rm(data, { recursive: true, force: true });
  });

  it("prints the first password once, and keeps everything over restarts, orderly or not", async () => {
    const first = await processes.start();
    const api = await apiClient(first);
    assert.equal(first.program.output().split("shown only now").length, 2);
    assert.deepEqual(await api.rest("GET", "/hosts"), { status: 200, data: [], error: null });
    assert.equal(await first.program.end("SIGTERM"), 0);

    const second = await processes.start();
    assert.equal(firstPassword(second), null);
    assert.equal((await api.at(second.url).rest("GET", "/hosts")).status, 200);
    assert.equal(await second.program.end("SIGKILL"), null);

    const third = await processes.start();
    assert.equal((await api.at(third.url).rest("GET", "/hosts")).status, 200);
    assert.equal(await third.program.end("SIGINT"), 0);
  });
});
