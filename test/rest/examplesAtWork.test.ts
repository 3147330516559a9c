// Tests that the examples under docs/examples work against a service, also over a bad line.
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describeRest } from "../../rest/openapi/describe.js";
import { callsOf } from "../../rest/openapi/document.js";
import { routes } from "../../rest/routes/index.js";
import { buildDroverSchema } from "../../resolvers/buildSchema.js";
import { fixedClock, noPlatform } from "../support/services.js";
import type { CaseAnswer } from "./support/case.js";
import { Description, isCalled } from "./support/description.js";
import { casePlatform, TASK } from "./support/platform.js";
import { RETRY_AFTER_SECONDS, startRelay, type Disturbance, type Relay, type Relayed } from "./support/relay.js";
import { startRest, type RestService } from "./support/service.js";
import { fillWorld, type World } from "./support/world.js";

const NOW = new Date("2026-11-21T12:00:00Z");
const PASSWORD = `it's "correct" $horse`;
const document = describeRest(buildDroverSchema(), routes);
const run = promisify(execFile);
const isInstalled = (program: string): boolean => spawnSync(program, ["--version"]).status === 0;
const example = (name: string): string => fileURLToPath(new URL(`../../../docs/examples/${name}`, import.meta.url));

const LANGUAGES = [
  { name: "billing.sh", needs: ["bash", "curl", "jq"], words: [example("billing.sh")] },
  { name: "billing.php", needs: ["php"], words: ["php", "-d", "extension=curl", example("billing.php")] },
  { name: "billing.ts", needs: [], words: [process.execPath, example("billing.ts")] },
];

for (const { name, needs, words } of LANGUAGES) {
  describe(`docs/examples/${name} at work`, () => {
    let service: RestService;
    let world: World;
    let relay: Relay;
    const description = new Description(document);
    let requests: Relayed[] = [];
    /** What happens to the next requests whose method and path begin so. */
    let disturbances = new Map<string, Disturbance[]>();
    let jobsFailWith: string | null = null;

    before(async function () {
      if (!needs.every(isInstalled)) this.skip();
      service = await startRest({ clock: fixedClock(NOW), hypervisors: { ...noPlatform, ...casePlatform } });
      world = await fillWorld(service.services.pool, NOW);
      relay = await startRelay({ origin: service.base.replace("/api/v1", ""), disturb, answered });
    });
    beforeEach(() => {
      requests = [];
      disturbances = new Map();
      jobsFailWith = null;
    });
    after(async () => {
      relay?.close();
      await service?.close();
    });

    /** A job that is asked for undisturbed has ended. */
    async function disturb(request: Relayed): Promise<Disturbance> {
      requests.push(request);
      const asked = `${request.method} ${request.path}`;
      const [, next = []] = [...disturbances].find(([beginning]) => asked.startsWith(beginning)) ?? [];
      const disturbance = next.shift();
      const [, jobId] = /\/jobs\/(\d+)$/.exec(request.path) ?? [];
      if (disturbance === undefined && jobId !== undefined) await endJob(Number(jobId));
      return disturbance ?? null;
    }

    async function endJob(id: number): Promise<void> {
      const status = jobsFailWith === null ? "done" : "failed";
      await service.services.pool.query(
        "update job set status = $2, error = $3, finished_at = now(), secrets_encrypted = null where id = $1",
        [id, status, jobsFailWith],
      );
    }

    /** Fields that the service does not know are ignored by it, but wrong in an example. */
    function answered({ method, path, json }: Relayed, answer: CaseAnswer): void {
      description.check({ method, path }, answer);
      const call = callsOf(document).find((known) => isCalled(known, { method, path }));
      const fields = call?.operation.requestBody?.content["application/json"]?.schema.properties ?? {};
      for (const field of Object.keys(Object(json))) assert.ok(field in fields, `${method} ${path} ${field}`);
    }

    /** One run of the example. @returns what it prints */
    async function billing(values: string, token = world.tokens.full): Promise<string> {
      const [program = "", ...rest] = words;
      const env = { ...process.env, DROVER_URL: relay.origin, DROVER_TOKEN: token, GUEST_PASSWORD: PASSWORD };
      const { stdout } = await run(program, [...rest, ...values.split(" ")], { env });
      return stdout;
    }

    async function fails(values: string, reason: RegExp, token?: string): Promise<void> {
      await assert.rejects(billing(values, token), ({ stderr }: { stderr: string }) => reason.test(stderr));
    }

    const sent = (): readonly string[] => requests.map(({ method, path }) => `${method} ${path}`);

    it("finds a place, creates a guest there and follows its job while the service is away and busy", async () => {
      const placed: unknown = JSON.parse(await billing("place 1024 1 10"));
      assert.deepEqual(placed, { host_id: 1, node: "pve1", vmid: 160 });
      requests = [];
      disturbances.set("POST /hosts/1/guests", [429]);
      disturbances.set("GET /hosts/1/jobs/", ["lost", 503, null]);
      await billing("create 1 pve1 160 web.example.com 1024 1 10 tpl:1");
      const [job = ""] = sent().slice(-1);
      const creation = "POST /hosts/1/guests";
      assert.deepEqual(sent(), ["GET /hosts/1/guests/qemu/160", creation, creation, job, job, job, job]);
      assert.equal(Object(requests[2]?.json).password, PASSWORD);
      for (const disturbed of [1, 4]) {
        const [before = 0, repeated = 0] = requests.slice(disturbed, disturbed + 2).map(({ at }) => at);
        assert.ok(repeated - before >= RETRY_AFTER_SECONDS * 1000, "it waits as Retry-After says");
      }
    });

    it("finds a guest that is there already instead of making a second one", async () => {
      await billing("create 1 pve1 100 guest1 1024 1 10 tpl:1");
      await fails("create 1 pve1 100 other 1024 1 10 tpl:1", /VMID 100 is guest1/);
      assert.deepEqual(sent(), ["GET /hosts/1/guests/qemu/100", "GET /hosts/1/guests/qemu/100"]);
    });

    it("sends a power action and waits for its task", async () => {
      disturbances.set("GET /hosts/1/tasks/", [503]);
      await billing("power 1 102 reboot");
      const task = `GET /hosts/1/tasks/pve1/${encodeURIComponent(TASK.upid)}`;
      assert.deepEqual(sent(), ["GET /hosts/1/guests/qemu/102", "POST /hosts/1/guests/qemu/102/power", task, task]);
    });

    it("prints why a job failed", async () => {
      jobsFailWith = "storage is full";
      await fails("reinstall 1 103 tpl:1", /^storage is full/m);
    });

    it("sends no change twice at a 503", async () => {
      disturbances.set("POST /hosts/1/guests/qemu/104/reinstall", [503]);
      await fails("reinstall 1 104 tpl:1", /^503 Busy/m);
      assert.deepEqual(sent(), ["POST /hosts/1/guests/qemu/104/reinstall"]);
    });

    it("terminates a guest, one that is gone already, and none of another name", async () => {
      await billing("terminate 1 105 guest6");
      assert.equal(sent()[1], "DELETE /hosts/1/guests/qemu/105");
      requests = [];
      await billing("terminate 1 99 gone");
      await fails("terminate 1 106 guest6", /VMID 106 is guest7/);
      assert.deepEqual(sent(), ["GET /hosts/1/guests/qemu/99", "GET /hosts/1/guests/qemu/106"]);
    });

    it("prints refusals in the service's words", async () => {
      await fails("create 1 pve1 170 not_a_name 1024 1 10 tpl:1", /^422 name: /m);
      await fails("power 1 99 start", /^404 .*not found/m);
      await fails("power 1 102 start", /^401 .*token/m, "nonsense");
    });
  });
}
