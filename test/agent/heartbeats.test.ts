// The agent against a service that answers as the protocol allows, and as it does not.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mock } from "node:test";
import type { AgentConfig } from "../../agent/config.js";
import { HttpClient } from "../../agent/http.js";
import type { Platform } from "../../agent/platform/platform.js";
import type { RunningAgent } from "../../agent/run.js";
import { startAgent } from "../../agent/run.js";
import { ServerClock } from "../../agent/serverClock.js";
import type { FakePlatform, KeptLog } from "./fakePlatform.js";
import { createFakePlatform, createKeptLog, OBSERVATION } from "./fakePlatform.js";
import type { FakeService, Script } from "./fakeService.js";
import { startFakeService, testConfig } from "./fakeService.js";

const inAMinute = (): string => new Date(Date.now() + 60_000).toISOString();
const unlock = (id: string, deadline = inAMinute()): unknown => ({
  id,
  kind: "unlock_guest",
  payload: { type: "qemu", vmid: 100 },
  deadline,
});

describe("agent heartbeats", () => {
  const cleanUps: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
  });

  interface Running {
    readonly service: FakeService;
    readonly agent: RunningAgent;
    readonly platform: FakePlatform;
    readonly log: KeptLog;
  }

  async function run(
    script: Script,
    config: Partial<AgentConfig> = {},
    part: Partial<Platform> = {},
  ): Promise<Running> {
    const service = await startFakeService(script);
    cleanUps.push(() => service.close());
    const platform = createFakePlatform(part);
    const log = createKeptLog();
    const agent = await startAgent(testConfig(service.url, config), { log, platform });
    cleanUps.push(() => agent.stop());
    return { service, agent, platform, log };
  }

  async function temporaryDirectory(): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), "drover-agent-"));
    cleanUps.push(() => rm(directory, { recursive: true }));
    return directory;
  }

  it("MUST send the protocol's words with its token", async () => {
    const { service } = await run(() => ({}));
    const { path, authorization, body } = await service.beat(0);
    assert.equal(path, "/api/v1/agent/heartbeat");
    assert.equal(authorization, "Bearer agent-secret");
    assert.deepEqual(body, {
      protocol: 1,
      agent_version: "1.0.0",
      hypervisor_version: "8.4.5",
      healthy: true,
      problems: [],
      nat_configured: true,
      public_address: "203.0.113.4",
      cpu_usage: 0.31,
      memory_mb: 65536,
      memory_used_mb: 20480,
      results: [],
    });
  });

  it("MUST be held by the service once it was answered, and not longer than its interval", async () => {
    const { service } = await run((_beat, index) => (index === 0 ? { data: { interval_seconds: 15 } } : null));
    assert.equal((await service.beat(1)).path, "/api/v1/agent/heartbeat?wait=15");
  });

  it("MUST be held for at most 25 seconds", async () => {
    const { service } = await run((_beat, index) => (index === 0 ? { data: { interval_seconds: 60 } } : null));
    assert.equal((await service.beat(1)).path, "/api/v1/agent/heartbeat?wait=25");
  });

  it("MUST do the job of a long poll and report it at once", async () => {
    const { service, platform } = await run((_beat, index) => ({ jobs: index === 1 ? [unlock("j1")] : [] }));
    const report = await service.beat(2);
    assert.deepEqual(report.body.results, [{ id: "j1", status: "done", error: null, data: {} }]);
    assert.equal(report.path, "/api/v1/agent/heartbeat");
    assert.deepEqual(platform.done, ["unlock qemu 100"]);
    assert.deepEqual((await service.beat(3)).body.results, []);
  });

  it("MUST answer a repeated job with the stored result and not do it twice", async () => {
    const { service, platform } = await run((_beat, index) => ({ jobs: index < 2 ? [unlock("j1")] : [] }));
    await service.beat(2);
    const reported = service.beats.map(({ body }) => body.results.length);
    assert.deepEqual(reported, [0, 1, 1]);
    assert.deepEqual(platform.done, ["unlock qemu 100"]);
  });

  it("MUST send results again until the service took them", async () => {
    const { service } = await run((_beat, index) =>
      index === 0 ? { jobs: [unlock("j1")] } : { status: 500, text: "" },
    );
    await service.beat(2);
    assert.deepEqual(
      service.beats.map(({ body }) => body.results.map(({ id }) => id)),
      [[], ["j1"], ["j1"]],
    );
  });

  it("MUST not be blocked by results that the service cannot read, and send them again when asked", async () => {
    const answers = [{ jobs: [unlock("j1")] }, { status: 422, text: "{}" }, { jobs: [unlock("j1")] }];
    const { service, platform } = await run((_beat, index) => answers[index] ?? null);
    await service.beat(3);
    assert.deepEqual(
      service.beats.map(({ body }) => body.results.length),
      [0, 1, 0, 1],
    );
    assert.deepEqual(platform.done, ["unlock qemu 100"]);
  });

  it("MUST keep results over a restart, and not repeat the job", async () => {
    const stateDirectory = await temporaryDirectory();
    const before = await run((_beat, index) => (index === 0 ? { jobs: [unlock("j1")] } : null), { stateDirectory });
    await before.service.beat(1);
    await before.agent.stop();
    const after = await run((_beat, index) => (index === 0 ? { jobs: [unlock("j1")] } : null), { stateDirectory });
    assert.deepEqual(
      (await after.service.beat(0)).body.results.map(({ id }) => id),
      ["j1"],
    );
    assert.deepEqual(
      (await after.service.beat(1)).body.results.map(({ id }) => id),
      ["j1"],
    );
    assert.deepEqual(after.platform.done, []);
  });

  it("MUST give jobs the whole milliseconds that are left until their deadline", async () => {
    const limits: number[] = [];
    const unlockGuest = async (_guest: unknown, limit: number): Promise<void> => void limits.push(limit);
    const now = Date.parse("2026-06-01T12:00:00Z");
    const clock = mock.method(ServerClock.prototype, "now", () => now + 0.25);
    cleanUps.push(async () => clock.mock.restore());
    const soon = new Date(now + 10_000).toISOString();
    const { service } = await run(
      (_beat, index) => ({ jobs: index === 0 ? [unlock("j1", soon)] : [] }),
      {},
      { unlockGuest },
    );
    await service.beat(1);
    assert.deepEqual(limits, [9_999]);
  });

  it("MUST go on beating while a job runs, without being held", async () => {
    const slow = Promise.withResolvers<void>();
    const { service } = await run(() => ({ jobs: [unlock("j1")] }), {}, { unlockGuest: () => slow.promise });
    const { path, body } = await service.beat(1);
    assert.equal(path, "/api/v1/agent/heartbeat");
    assert.deepEqual(body.results, []);
    slow.resolve();
    assert.equal((await service.beat(2)).body.results[0]?.status, "done");
  });

  it("MUST fail an unknown kind, and name the kinds that it supports", async () => {
    const job = { id: "j1", kind: "reboot_node", payload: {}, deadline: inAMinute() };
    const { service } = await run((_beat, index) => ({ jobs: index === 0 ? [job] : [] }));
    const [result] = (await service.beat(1)).body.results;
    assert.equal(result?.status, "failed");
    assert.match(result?.error ?? "", /does not know jobs of the kind "reboot_node".*unlock_guest/);
  });

  it("MUST judge deadlines by the service's clock, not by its own", async () => {
    const dayBefore = Date.now() - 24 * 60 * 60 * 1000;
    const date = new Date(dayBefore).toUTCString();
    const open = unlock("open", new Date(dayBefore + 60_000).toISOString());
    const over = unlock("over", new Date(dayBefore - 60_000).toISOString());
    const { service, platform } = await run((_beat, index) => ({
      headers: { date },
      jobs: index === 0 ? [open, over] : [],
    }));
    await service.beat(2);
    const results = service.beats.flatMap(({ body }) => body.results);
    const status = (id: string): string | undefined => results.find((result) => result.id === id)?.status;
    assert.deepEqual([status("open"), status("over")], ["done", "failed"]);
    assert.deepEqual(platform.done, ["unlock qemu 100"]);
  });

  const failures: [string, Script, RegExp][] = [
    ["401", () => ({ status: 401, text: '{"error":"token unknown"}' }), /401 token unknown.*current one of this node/],
    ["500", () => ({ status: 500, text: "<html>" }), /status 500/],
    ["no JSON", () => ({ text: "hello" }), /not one of the agent protocol/],
    ["a redirect", () => ({ status: 302, headers: { location: "http://127.0.0.1:1/" }, text: "" }), /status 302/],
    ["a list of no jobs", () => ({ text: '{"success":true,"data":{"jobs":null}}' }), /not one of the agent protocol/],
  ];
  for (const [name, answer, message] of failures) {
    it(`MUST go on after ${name}, with a pause and a line in the log without the token`, async () => {
      const { service, log } = await run(async (beat, index) => (index === 0 ? await answer(beat, index) : {}));
      await service.beat(1);
      assert.match(log.lines.join("\n"), message);
      assert.doesNotMatch(log.lines.join("\n"), /agent-secret/);
    });
  }

  it("MUST wait as long as a 429 asks", async () => {
    const startedAt = Date.now();
    const limited = { status: 429, headers: { "retry-after": "2" }, text: '{"error":"limit"}' };
    const { service } = await run((_beat, index) => (index === 0 ? limited : {}));
    await service.beat(1);
    assert.ok(Date.now() - startedAt >= 1900);
  });

  it("MUST come back when the service is there again", async () => {
    const { service, log } = await run(() => ({}));
    await service.beat(0);
    await service.close();
    await log.line(/heartbeat failed/);
    const again = await startFakeService(() => null, { port: Number(new URL(service.url).port) });
    cleanUps.push(() => again.close());
    assert.equal((await again.beat(0)).body.healthy, true);
  });

  it("MUST stop at once while the service holds its heartbeat", async () => {
    const send = mock.method(HttpClient.prototype, "send");
    const { service, agent } = await run(() => null);
    await service.beat(0);
    await agent.stop();
    const [heartbeat] = send.mock.calls;
    send.mock.restore();
    // Not that it was left without an answer for too long.
    await assert.rejects(heartbeat?.result ?? assert.fail(), /agent stops|hang up/);
  });

  it("MUST name its problems, also that the token is another node's", async () => {
    const { service } = await run(
      () => ({ data: { node: "pve9" } }),
      {},
      { observe: async () => ({ ...OBSERVATION, problems: ["no quorum"] }) },
    );
    const { healthy, problems } = (await service.beat(1)).body;
    assert.equal(healthy, false);
    assert.deepEqual(problems, ["no quorum", "the token is that of node pve9, this is pve1"]);
  });

  it("MUST do no job with the token of another node", async () => {
    const jobs = [unlock("j1")];
    const { service, platform } = await run((_beat, index) => ({
      data: { node: "pve9" },
      jobs: index === 0 ? jobs : [],
    }));
    const [result] = (await service.beat(1)).body.results;
    assert.equal(result?.error, "the token is that of node pve9, this is pve1");
    assert.deepEqual(platform.done, []);
  });

  it("MUST not beat for a simulated node that is off", async () => {
    const { service, log } = await run(() => ({}), {}, { observe: async () => null });
    await log.line(/node pve1 is off/);
    assert.equal(service.beats.length, 0);
  });

  it("MUST run beside others in one process", async () => {
    const five = await Promise.all(Array.from({ length: 5 }, () => run(() => ({ jobs: [unlock("same-id")] }))));
    for (const { service, platform } of five) {
      assert.equal((await service.beat(1)).body.results.length, 1);
      assert.deepEqual(platform.done, ["unlock qemu 100"]);
    }
  });

  it("MUST do a thousand jobs of one answer, and deliver every result", async () => {
    const jobs = Array.from({ length: 1000 }, (_, index) => unlock(`j${index}`));
    const { service, platform } = await run((_beat, index) => ({ jobs: index === 0 ? jobs : [] }));
    const delivered = (): Set<string> => new Set(service.beats.flatMap(({ body }) => body.results.map(({ id }) => id)));
    for (let index = 1; delivered().size < 1000; index += 1) await service.beat(index);
    assert.equal(platform.done.length, 1000);
  });
});
