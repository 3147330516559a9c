// Tests the clients under docs/examples: they are what the description makes of them, and they work against a service.
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Drover, DroverError, JobFailed } from "../../docs/examples/drover.js";
import { clientCalls } from "../../rest/openapi/clients/clientCall.js";
import { writtenFiles } from "../../rest/openapi/clients/files.js";
import { describeRest } from "../../rest/openapi/describe.js";
import { routes } from "../../rest/routes/index.js";
import { buildDroverSchema } from "../../schema/build.js";
import { fixedClock, noPlatform } from "../support/services.js";
import { casePlatform, TASK } from "./support/platform.js";
import { startRest, type RestService } from "./support/service.js";
import { fillWorld, GUESTS_OF_HOST_1, type World } from "./support/world.js";

const NOW = new Date("2026-11-21T12:00:00Z");
const root = fileURLToPath(new URL("../../../", import.meta.url));
const document = describeRest(buildDroverSchema(), routes);
const run = promisify(execFile);
const SCRIPT = join(root, "docs/examples/drover.sh");
const isInstalled = (program: string): boolean => spawnSync(program, ["--version"]).status === 0;

describe("rest/openapi: written files", () => {
  it("are as the description makes them (else: node dist/rest/openapi/clients/write.js)", async () => {
    for (const [path, content] of await writtenFiles(root, document)) {
      assert.equal(await readFile(join(root, path), "utf8"), content, path);
    }
  });

  it("list every row in docs/rest.md", async () => {
    const page = await readFile(join(root, "docs/rest.md"), "utf8");
    const listed = [...page.matchAll(/^\| `((?:GET|POST|DELETE) \S+)` /gm)].map(([, endpoint = ""]) => endpoint);
    const rows = routes.map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(listed.toSorted(), [...rows, "POST /agent/heartbeat"].toSorted());
  });

  it("have a method for every row", () => {
    const calls = clientCalls(document);
    assert.equal(calls.length, routes.length);
    for (const { name } of calls) assert.equal(typeof Reflect.get(Drover.prototype, name), "function", name);
  });
});

const refused = (status: number, message: RegExp) => (error: unknown) =>
  error instanceof DroverError && error.status === status && message.test(error.message);

describe("rest/openapi: clients", () => {
  let service: RestService;
  let world: World;
  let url: string;
  let drover: Drover;
  before(async () => {
    service = await startRest({ clock: fixedClock(NOW), hypervisors: { ...noPlatform, ...casePlatform } });
    world = await fillWorld(service.services.pool, NOW);
    url = service.base.replace("/api/v1", "");
    drover = new Drover(`${url}/`, world.tokens.full);
  });
  after(() => service.close());

  it("read records and pages", async () => {
    const { items, meta } = await drover.guests(1, { page: 2 });
    assert.deepEqual([items.length, meta], [GUESTS_OF_HOST_1 - 50, { page: 2, perPage: 50, total: GUESTS_OF_HOST_1 }]);
    assert.equal((await drover.guest(1, "qemu", 100)).name, "guest1");
    assert.equal((await drover.task(1, "pve1", TASK.upid)).exit_status, "OK");
  });

  it("read whole lists, also empty ones", async () => {
    const vmids = (await collected(drover.all((page) => drover.guests(1, page)))).map(({ vmid }) => vmid);
    assert.deepEqual([vmids.length, new Set(vmids).size], [GUESTS_OF_HOST_1, GUESTS_OF_HOST_1]);
    assert.deepEqual(await collected(drover.all((page) => drover.guests(3, page))), []);
  });

  it("send queries and bodies", async () => {
    const size = { type: "qemu", cores: 1, memory_mb: 1024, disk_gb: 10 } as const;
    assert.equal((await drover.placementSuggest(size)).best?.node, "pve1");
    const { id, password } = await drover.createUser({ email: "ts@example.com", username: "ts" });
    assert.ok(password.length > 0);
    const { placement, queued } = await drover.createGuest({
      ...size,
      node: "auto",
      name: "ts.example.com",
      os_template: "tpl:1",
      password: "correct horse",
      owner_id: id,
    });
    assert.deepEqual([queued, placement.node], [true, "pve1"]);
    assert.deepEqual(await drover.deleteUser(id), { deleted: true });
  });

  it("wait for jobs", async () => {
    const { pool } = service.services;
    const waiting = drover.waitForJob(1, 1, { everySeconds: 0.01 });
    await pool.query("update job set status = 'done', finished_at = now() where id = 1");
    assert.equal((await waiting).status, "done");
    await assert.rejects(drover.waitForJob(2, 2), (error) => error instanceof JobFailed && error.job.id === 2);
    await pool.query("update job set status = 'running', finished_at = null where id = 1");
    await assert.rejects(drover.waitForJob(1, 1, { atMostSeconds: 0 }), refused(408, /still running/));
  });

  it("tell refusals", async () => {
    await assert.rejects(drover.guest(99, "qemu", 100), refused(404, /not found/));
    await assert.rejects(drover.createUser({ email: "", username: "" }), refused(422, /email: .*username: /));
    await assert.rejects(new Drover(url, "nonsense").hosts(), refused(401, /token/));
    const limited = new Drover(url, world.tokens.limited);
    await Promise.all([limited.hosts(), limited.hosts()]);
    await assert.rejects(limited.hosts(), (error) => error instanceof DroverError && error.retryAfterSeconds === 60);
    await assert.rejects(new Drover(`${url}/elsewhere`, "x").hosts(), refused(404, /no JSON/));
  });

  it("work from the shell", async function () {
    if (!isInstalled("bash") || !isInstalled("curl")) this.skip();
    const env = { ...process.env, DROVER_URL: url, DROVER_TOKEN: world.tokens.full };
    const script = (...words: readonly string[]) => run("bash", [SCRIPT, ...words], { env });
    const { data, meta } = JSON.parse((await script("guests", "1", "perPage=1", "page=2")).stdout);
    assert.deepEqual([data[0].vmid, meta.perPage], [101, 1]);
    const task = await script("task", "1", "pve1", TASK.upid);
    assert.equal(JSON.parse(task.stdout).data.upid, TASK.upid);
    const made = await script("createUser", "email=s+h&co@example.com", "username=sh");
    assert.equal(JSON.parse(made.stdout).data.email, "s+h&co@example.com");
    await assert.rejects(script("guest", "1", "qemu", "99"), /404/);
    await assert.rejects(script("nonsense"), /Usage/);
  });

  it("work in PHP", async function () {
    if (!isInstalled("php")) this.skip();
    const program = `require ${JSON.stringify(join(root, "docs/examples/Drover.php"))};
      $drover = new Drover\\Drover(getenv('DROVER_URL'), getenv('DROVER_TOKEN'));
      $vmids = array_map(fn ($guest) => $guest['vmid'], iterator_to_array($drover->all(fn ($page) => $drover->guests(1, $page))));
      $user = $drover->createUser(['email' => 'php@example.com', 'username' => 'php']);
      $task = $drover->task(1, 'pve1', getenv('UPID'));
      try { $drover->guest(1, 'qemu', 99); } catch (Drover\\DroverException $refusal) { $status = $refusal->getCode(); }
      $job = $drover->waitForJob(2, 2);
      echo json_encode([count($vmids), $user['username'], $task['exit_status'], $status, $job['error'], $drover->deleteUser($user['id'])]);`;
    const { stdout } = await run("php", ["-d", "extension=curl", "-r", program], {
      env: { ...process.env, DROVER_URL: url, DROVER_TOKEN: world.tokens.full, UPID: TASK.upid },
    });
    const expected = [GUESTS_OF_HOST_1, "php", "OK", 404, "storage is full", { deleted: true }];
    assert.deepEqual(JSON.parse(stdout), expected);
  });
});

async function collected<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}
