// Two API processes and a worker on one database: what one does, the others know.
import assert from "node:assert/strict";
import type { RunningHost } from "../../../simulator/host.js";
import { control } from "../../inventory/support/control.js";
import { createTestDatabase, type TestDatabase } from "../../support/database.js";
import type { ApiClient } from "./support/client.js";
import { addHost, createContainer, startSlowHost, untilTaskRuns } from "./support/creation.js";
import { apiClient, Processes } from "./support/processes.js";
import { until } from "../../support/until.js";

const PROGRESS = "subscription ($id: Int!) { jobProgress(id: $id) { status progress step } }";
const MAKE = `mutation ($name: String!, $permissions: [String!]) {
  createApiToken(input: { name: $name, permissions: $permissions }) { value token { id } }
}`;
const REVOKE = "mutation ($id: Int!) { revokeApiToken(id: $id) { id } }";

interface Made {
  readonly createApiToken: { readonly value: string; readonly token: { readonly id: number } };
}

interface Progress {
  readonly jobProgress: { readonly status: string; readonly progress: number | null; readonly step: string | null };
}

describe("several processes on one database", function () {
  this.timeout(180_000);
  let database: TestDatabase;
  let processes: Processes;
  let one: ApiClient;
  let other: ApiClient;
  before(async () => {
    database = await createTestDatabase();
    processes = new Processes({ DATABASE_URL: database.url });
    // All at once, on an empty database: the first password is printed by one of them.
    const started = await Promise.all(["api", "api", "worker"].map((role) => processes.start({ DROVER_ROLE: role })));
    const [first, second] = started;
    assert.ok(first !== undefined && second !== undefined);
    const printing = await Promise.any(
      [first, second].map((each) => each.program.printed("only now").then(() => each)),
    );
    one = await apiClient(printing);
    other = one.at((printing === first ? second : first).url);
  });
  after(async () => {
    await processes.end();
    await database.close();
  });

  it("refuse everywhere what a revoked token has made", async () => {
    const manager = await makeToken(one, ["hosts.manage"]);
    const made = await makeToken(one.as(manager.value), []);
    const [here, there] = [one, other].map((api) => api.as(made.value));
    assert.ok(here !== undefined && there !== undefined);
    assert.deepEqual(await Promise.all([status(here), status(there)]), [200, 200]);
    await one.graphql(REVOKE, { id: manager.token.id });
    assert.equal(await status(here), 401, "at once where it was revoked");
    await until("it is not taken elsewhere either", async () => (await status(there)) === 401);
  });

  describe("with a job", () => {
    let host: RunningHost;
    before(async () => {
      host = await startSlowHost();
    });
    after(() => host.close());

    it("report its progress in a process that neither made it nor runs it", async () => {
      const hostId = await addHost(one, host);
      const jobId = await createContainer(one, hostId, 300);
      await untilTaskRuns(host, "vzcreate");
      const seen: Progress["jobProgress"][] = [];
      for await (const { jobProgress } of other.subscribe<Progress>(PROGRESS, { id: jobId })) {
        seen.push(jobProgress);
        // Slow enough that a step is still under way when the next event is sent.
        if (seen.length === 1) await control(host.control).post("/speed", { timeFactor: 10 });
      }
      assert.deepEqual([seen[0]?.status, seen[0]?.step], ["RUNNING", "create"]);
      const last = seen.at(-1);
      assert.deepEqual([last?.status, last?.progress], ["DONE", 1]);
      assert.ok(seen.length > 2, "there was something in between");
    });
  });
});

async function makeToken(api: ApiClient, permissions: readonly string[]): Promise<Made["createApiToken"]> {
  return (await api.graphql<Made>(MAKE, { name: "short", permissions })).createApiToken;
}

const status = async (api: ApiClient): Promise<number> => (await api.rest("GET", "/hosts")).status;
