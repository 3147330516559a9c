// The demo as somebody new meets it: it comes up furnished, parts of it can be killed and started again alone.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { eventually } from "../support/eventually.js";
import { runProgram, type RunningProgram } from "../support/programs.js";

const description = z.object({
  url: z.string(),
  graphql: z.string(),
  apiToken: z.string(),
  scopedToken: z.string(),
  scopedHostIds: z.array(z.number()),
  agents: z.array(z.object({ hostId: z.number(), node: z.string() })),
  hosts: z.array(z.object({ id: z.number(), name: z.string(), control: z.string() })),
  pids: z.object({ platform: z.number(), service: z.number(), database: z.number() }),
});
const listed = z.object({ success: z.literal(true), data: z.array(z.record(z.string(), z.unknown())) });

describe("the demo", function () {
  this.timeout(300_000);
  let directory: string;
  let environment: Record<string, string>;
  const running = new Set<RunningProgram>();
  let early: RunningProgram;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "drover-demo-"));
    environment = { DROVER_DATA: directory, PORT: "0", LOG_LEVEL: "warn", DROVER_SYNC_SECONDS: "1" };
    // As in the shell of somebody who also operates a service: the demo has a database of its own.
    environment["DATABASE_URL"] = "postgres://drover@127.0.0.1:1/drover";
  });
  after(async () => {
    for (const program of running) await program.end();
    await rm(directory, { recursive: true, force: true });
  });

  const demo = (...words: string[]): RunningProgram => {
    const program = runProgram("demo/main.js", words, environment);
    running.add(program);
    return program;
  };
  const describeDemo = async () => description.parse(JSON.parse(await readFile(join(directory, "demo.json"), "utf8")));
  const list = async (path: string, token?: string) => {
    const { url, apiToken } = await describeDemo();
    const answer = await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${token ?? apiToken}` } });
    return listed.parse(await answer.json()).data;
  };

  it("lets a service that is started first wait for the platform, and can end it then", async () => {
    const waiting = demo("--only", "service");
    running.delete(waiting);
    await waiting.printed("The service waits for its platform");
    assert.equal(await waiting.end(), 0);
  });

  it("starts its platform alone, while a service waits for it", async () => {
    early = demo("--only", "service");
    running.delete(early);
    await early.printed("The service waits for its platform");
    await demo("--only", "platform").printed("platform ready");
    running.add(early);
    const { hosts, url } = z
      .object({ hosts: z.array(z.object({ name: z.string(), control: z.string() })), url: z.string() })
      .parse(JSON.parse(await readFile(join(directory, "demo.json"), "utf8")));
    assert.deepEqual([hosts.map(({ name }) => name), url], [["amsterdam", "frankfurt", "london"], ""]);
  });

  it("starts the service against that platform, furnished, with credentials that only the user can read", async () => {
    await early.printed("Drover is ready");
    assert.equal((await stat(join(directory, "demo.json"))).mode & 0o777, 0o600);
    assert.deepEqual(
      (await list("/hosts")).map(({ name }) => name),
      ["amsterdam", "frankfurt", "london"],
    );
    const { scopedToken, scopedHostIds } = await describeDemo();
    assert.deepEqual(
      (await list("/hosts", scopedToken)).map(({ id }) => id),
      scopedHostIds,
    );
  });

  it("is refused a second time in the same directory, with a plain reason, and nothing of it is removed", async () => {
    for (const words of [[], ["--only", "platform"], ["--only", "service"], ["--fresh"]]) {
      const second = demo(...words);
      running.delete(second);
      assert.equal(await second.ended, 1);
      assert.match(
        second.output(),
        /demo: another demo runs its (?:platform|service) from .*: end it, or name another/,
      );
    }
    assert.equal((await list("/hosts")).length, 3);
  });

  it("has a current agent on every node", async () => {
    const { agents } = await describeDemo();
    assert.equal(agents.length, 5);
    for (const { hostId, node } of agents) {
      const nodes = await list(`/hosts/${hostId}/nodes`);
      const agent = z.object({ current: z.boolean() }).parse(nodes.find(({ name }) => name === node)?.["agent"]);
      assert.equal(agent.current, true, node);
    }
  });

  it("does not take another service for its own", async () => {
    const { url, pids } = await describeDemo();
    const elsewhere = await mkdtemp(join(tmpdir(), "drover-demo-"));
    const same = { ...environment, DROVER_DATA: elsewhere, PORT: new URL(url).port };
    const other = runProgram("demo/main.js", ["--only", "service"], same);
    assert.equal(await other.ended, 1);
    await rm(elsewhere, { recursive: true, force: true });
    assert.match(other.output(), /demo: port \d+ cannot be used/);
    assert.deepEqual((await describeDemo()).pids, pids);
  });

  it("finds its hosts again when the platform was killed and started again", async () => {
    const { pids, hosts } = await describeDemo();
    process.kill(pids.platform, "SIGKILL");
    const [first] = running;
    assert.ok(first);
    assert.equal(await first.ended, 1);
    await demo("--only", "platform").printed("platform ready");
    const again = await describeDemo();
    assert.deepEqual(again.hosts, hosts);
    const answer = await fetch(again.graphql, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${again.apiToken}` },
      body: JSON.stringify({ query: `mutation { syncHost(id: ${hosts[0]?.id}) { lastSyncError } }` }),
    });
    assert.deepEqual(await answer.json(), { data: { syncHost: { lastSyncError: null } } });
  });

  it("keeps its data when the service was killed and started again", async () => {
    const { pids } = await describeDemo();
    process.kill(pids.service, "SIGKILL");
    const [, service] = running;
    assert.ok(service);
    assert.equal(await service.ended, 1);
    await demo("--only", "service").printed("Drover is ready");
    assert.equal((await list("/hosts")).length, 3);
  });

  it("makes what is missing when it was killed before all was made", async () => {
    const [, , , service] = running;
    assert.ok(service);
    await service.end();
    running.delete(service);
    const path = join(directory, "demo.draft.json");
    const draft = z.record(z.string(), z.unknown()).parse(JSON.parse(await readFile(path, "utf8")));
    await writeFile(path, JSON.stringify({ ...draft, agents: [], apiToken: "", scopedToken: "", scopedHostIds: [] }));
    await demo("--only", "service").printed("Drover is ready");
    const { agents, scopedToken, scopedHostIds } = await describeDemo();
    assert.equal(agents.length, 5);
    assert.deepEqual(
      (await list("/hosts", scopedToken)).map(({ id }) => id),
      scopedHostIds,
    );
    for (const { id } of await list("/hosts")) {
      assert.equal((await list(`/hosts/${String(id)}/ip-zones`)).length, 1);
      assert.deepEqual(
        (await list(`/hosts/${String(id)}/plans`)).map(({ name }) => name),
        ["Nano", "Small", "Medium", "Large"],
      );
    }
  });

  it("tells the server that the service started when its database was killed", async () => {
    const { pids } = await describeDemo();
    process.kill(pids.database, "SIGKILL");
    await eventually(async () => assert.notEqual((await describeDemo()).pids.database, pids.database), 60_000);
    process.kill((await describeDemo()).pids.database, 0);
    await eventually(async () => assert.equal((await list("/hosts")).length, 3), 60_000);
  });

  it("ends with exit code 0 when it is told to", async () => {
    const codes = [];
    for (const program of [...running].toReversed()) codes.push(await program.end());
    assert.deepEqual(codes, [0, 0, 1, 1]);
    running.clear();
  });

  it("takes its programs along when it is killed itself, and can be started again", async () => {
    const killed = demo();
    await killed.printed("Drover is ready");
    await killed.end("SIGKILL");
    const again = demo();
    await again.printed("Drover is ready");
    assert.equal((await list("/hosts")).length, 3);
    assert.equal(await again.end(), 0);
  });
});
