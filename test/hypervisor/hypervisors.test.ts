// The registry of hosts: one connection each, replaced when the record changes, drained when it goes.
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { DroverError } from "../../src/errors/errors.js";
import type { HostConnection } from "../../src/hypervisor/connection.js";
import type { Hypervisors } from "../../src/hypervisor/hypervisor.js";
import { GuestType, PowerAction } from "../../src/core/enums.js";
import { PlatformReason } from "../../src/hypervisor/platformError.js";
import type { DriverOptions } from "../../src/hypervisor/proxmox/options.js";
import { createHypervisors, type LoadConnection } from "../../src/hypervisor/hypervisors.js";
import { proxmoxDriver } from "../../src/hypervisor/proxmox/driver.js";
import { eventually } from "../support/eventually.js";
import { HandTime, LeapingTime } from "../support/handTime.js";
import { Cleanup, QUICK } from "./support/driver.js";
import { refusal } from "./support/rejection.js";
import { startScriptedHost, type Play, type Script, type ScriptedHost } from "./support/scriptedHost.js";

const VERSION = { data: { version: "8.4.5" } };

describe("hypervisor/hypervisors", () => {
  const cleanup = new Cleanup();
  afterEach(() => cleanup.run());

  const start = async (play: Play) => {
    const host = await startScriptedHost(play);
    cleanup.add(() => host.close());
    return host;
  };

  const registry = (load: LoadConnection, settings: Partial<DriverOptions> = {}): Hypervisors => {
    const hypervisors = createHypervisors(load, proxmoxDriver({ ...QUICK, ...settings }));
    cleanup.add(() => hypervisors.close());
    return hypervisors;
  };

  it("reads a host's record once for many callers, and gives each the same host", async () => {
    const host = await start(() => VERSION);
    const asked: number[] = [];
    const hypervisors = registry((hostId) => {
      asked.push(hostId);
      return Promise.resolve(host.connection);
    });
    const hosts = await Promise.all([hypervisors.of(7), hypervisors.of(7), hypervisors.of(7)]);
    assert.equal(new Set(hosts).size, 1);
    await hosts[0]?.version();
    assert.deepEqual(asked, [7]);
  });

  it("reports that a host is not there, and looks again the next time", async () => {
    const host = await start(() => VERSION);
    let record: HostConnection | null = null;
    const hypervisors = registry(() => Promise.resolve(record));
    await assert.rejects(hypervisors.of(9), (error) => error instanceof DroverError && error.kind === "notFound");
    record = host.connection;
    assert.equal((await (await hypervisors.of(9)).version()).version, "8.4.5");
  });

  it("passes on why a record cannot be used", async () => {
    const inactive = new DroverError("platform", "Host 3 is inactive");
    const hypervisors = registry(() => Promise.reject(inactive));
    await assert.rejects(hypervisors.of(3), inactive);
  });

  it("lets running calls end when a host is forgotten; a host that is held goes on with the new record", async () => {
    const { promise: response, resolve: raw } = Promise.withResolvers<ServerResponse>();
    const old = await start(() => ({ raw }));
    const young = await start(() => VERSION);
    let record = old.connection;
    const hypervisors = registry(() => Promise.resolve(record));
    const held = await hypervisors.of(1);
    const running = held.version();
    record = young.connection;
    const unanswered = await response;
    const forgotten = hypervisors.forget(1);
    assert.equal((await held.version()).version, "8.4.5");
    unanswered.end('{"data":{"version":"7.4"}}');
    await forgotten;
    assert.equal((await running).version, "7.4");
    assert.equal(await hypervisors.of(1), held);
  });

  it("refuses a caller that holds a host whose record is gone", async () => {
    const host = await start(() => VERSION);
    let record: HostConnection | null = host.connection;
    const hypervisors = registry(() => Promise.resolve(record));
    const held = await hypervisors.of(1);
    record = null;
    await hypervisors.forget(1);
    await assert.rejects(held.version(), (error) => error instanceof DroverError && error.kind === "notFound");
    await hypervisors.forget(1);
    await hypervisors.forget(12345);
  });

  it("forgets all hosts at once", async () => {
    const host = await start(() => VERSION);
    const asked: number[] = [];
    const hypervisors = registry((hostId) => {
      asked.push(hostId);
      return Promise.resolve(host.connection);
    });
    await Promise.all([hypervisors.of(1), hypervisors.of(2)]);
    await hypervisors.forget();
    await Promise.all([hypervisors.of(1), hypervisors.of(2)]);
    assert.deepEqual(asked, [1, 2, 1, 2]);
  });

  it("waits for running calls at shutdown, and begins none after it", async () => {
    const { promise: response, resolve: raw } = Promise.withResolvers<ServerResponse>();
    const host = await start(() => ({ raw }));
    const hypervisors = registry(() => Promise.resolve(host.connection));
    const held = await hypervisors.of(1);
    const running = held.version();
    const unanswered = await response;
    const closed = hypervisors.close();
    unanswered.end('{"data":{"version":"7.4"}}');
    await closed;
    assert.equal((await running).version, "7.4");
    await assert.rejects(held.version(), (error) => error instanceof DroverError && error.kind === "unavailable");
    assert.equal(host.arrivals.length, 1);
  });

  it("asks again for a job what stayed without an answer or was answered with a fault", async () => {
    const page: Script = { raw: (response) => response.end("<html><body>Back in a minute</body></html>") };
    const scripts: Script[] = ["drop", "drop", "drop", { status: 500, reason: "a bad moment" }, page, VERSION];
    const host = await start(() => scripts.shift() ?? "drop");
    const hypervisors = registry(() => Promise.resolve(host.connection), { noticeableMs: 60_000 });
    const driver = await hypervisors.patient(1, new AbortController().signal);
    assert.equal((await driver.version()).version, "8.4.5");
    assert.equal(host.arrivals.length, 6);
  });

  it("asks again for a job when the host accepts no credential for a moment, also for a change, which was not made", async () => {
    const shut: Script = { status: 401, reason: "ipcc_send_rec[1] failed: Connection refused" };
    const scripts: Script[] = [
      shut,
      VERSION,
      shut,
      { data: "UPID:pve1:00002ABD:0006832E:6B00EE7C:qmstart:100:root@pam:" },
    ];
    const host = await start(() => scripts.shift() ?? "drop");
    const registered = registry(() => Promise.resolve(host.connection));
    const driver = await registered.patient(1, new AbortController().signal);
    assert.equal((await driver.version()).version, "8.4.5");
    const guest = { type: GuestType.QEMU, node: "pve1", vmid: 100 };
    assert.match((await driver.power(guest, PowerAction.START)) ?? "", /^UPID:pve1:.*:qmstart:/);
    assert.equal(host.arrivals.length, 4);
  });

  it("asks again for a job what stayed without an answer for longer than its patience", async () => {
    const scripts: Script[] = ["hang", VERSION];
    const host = await start(() => scripts.shift() ?? "hang");
    const time = new HandTime();
    const settings = { callMs: 600, patienceMs: 500, noticeableMs: 60_000, stopwatch: time };
    const driver = await registry(() => Promise.resolve(host.connection), settings).patient(
      1,
      new AbortController().signal,
    );
    const version = driver.version();
    await arrived(host);
    time.move(600);
    await time.waitsFor(250);
    time.move(250);
    assert.equal((await version).version, "8.4.5");
  });

  it("reports what a job waits for, and why, until its question is answered", async () => {
    const scripts: Script[] = [{ status: 500, reason: "a bad moment" }, { status: 500, reason: "another" }, VERSION];
    const host = await start(() => scripts.shift() ?? VERSION);
    const heard: string[] = [];
    const observer = {
      waits: (reason: string, pauseMs: number) => heard.push(`${pauseMs} ms: ${reason}`),
      goesOn: () => heard.push("goes on"),
    };
    const registered = registry(() => Promise.resolve(host.connection), { repeatAfterMs: [] });
    const driver = await registered.patient(1, new AbortController().signal, observer);
    await driver.version();
    assert.deepEqual(
      heard.map((line) => line.replace(/: .*(a bad moment|another).*/, ": $1")),
      ["250 ms: a bad moment", "500 ms: another", "goes on"],
    );
  });

  it("asks a job's question no longer than its patience lasts, nor once the job is given up", async () => {
    const host = await start(() => ({ status: 500, reason: "still a bad moment" }));
    const record = () => Promise.resolve(host.connection);
    const settings = { patienceMs: 300, stopwatch: new LeapingTime(10_000) };
    const short = await registry(record, settings).patient(1, new AbortController().signal);
    await refusal(short.version(), PlatformReason.FAILED, "still a bad moment");
    const job = new AbortController();
    const long = await registry(record).patient(1, job.signal);
    const given = new Error("given up");
    const asked = long.version();
    job.abort(given);
    await assert.rejects(asked, given);
  });

  it("does not repeat a job's change that was answered with a fault", async () => {
    const host = await start(() => ({ status: 500, reason: "no" }));
    const registered = registry(() => Promise.resolve(host.connection));
    const driver = await registered.patient(1, new AbortController().signal);
    const guest = { type: GuestType.QEMU, node: "pve1", vmid: 100 };
    await refusal(driver.power(guest, PowerAction.START), PlatformReason.REFUSED, "no");
    assert.equal(host.arrivals.length, 1);
  });

  it("asks the same question once for one look, answers alike and refuses alike, and passes changes on", async () => {
    const scripts: Script[] = [VERSION, VERSION];
    const host = await start(() => scripts.shift() ?? { status: 500, reason: "no" });
    const look = await registry(() => Promise.resolve(host.connection)).once(1);
    const [first, second] = await Promise.all([look.version(), look.version()]);
    assert.deepEqual(second, first);
    assert.equal(host.arrivals.length, 2, "one of them is the greeting");
    const guest = { type: GuestType.QEMU, node: "pve1", vmid: 100 };
    await refusal(look.guestConfig(guest), PlatformReason.FAILED, "no");
    const { length: asked } = host.arrivals;
    await refusal(look.guestConfig(guest), PlatformReason.FAILED, "no");
    assert.equal(host.arrivals.length, asked);
    for (const count of [1, 2]) {
      await refusal(look.power(guest, PowerAction.START), PlatformReason.REFUSED, "no");
      assert.equal(host.arrivals.length, asked + count);
    }
  });

  it("begins no look at a host that is silent, and takes it for dead by no caller's short patience", async () => {
    const host = await start((_, index) => (index === 0 ? "hang" : VERSION));
    const time = new HandTime();
    const settings = { greetingMs: 300, noticeableMs: 1, stopwatch: time };
    const registered = registry(() => Promise.resolve(host.connection), settings);
    const greeting = refusal(registered.once(1), PlatformReason.UNREACHABLE, "no answer within");
    await arrived(host);
    time.move(300);
    await greeting;
    assert.equal((await (await registered.of(1)).version()).version, "8.4.5");
    assert.equal((await (await registered.once(1)).version()).version, "8.4.5");
  });

  it("begins a look at a host whose greeting failed otherwise", async () => {
    const host = await start((_, index) => (index === 0 ? { status: 500, reason: "no" } : VERSION));
    const registered = registry(() => Promise.resolve(host.connection));
    assert.equal((await (await registered.once(1)).version()).version, "8.4.5");
  });

  it("gives all calls of one request that a caller waits for one time limit", async () => {
    const host = await start(() => "hang");
    const time = new HandTime();
    const registered = registry(() => Promise.resolve(host.connection), { promptMs: 300, stopwatch: time });
    const driver = await registered.prompt(1);
    const first = refusal(driver.version(), PlatformReason.UNREACHABLE, "no answer within");
    await time.waitsFor(300);
    time.move(200);
    const second = refusal(driver.cluster(), PlatformReason.UNREACHABLE);
    await time.waitsFor(100);
    time.move(100);
    await Promise.all([first, second]);
  });

  for (const status of [500, 595, 596]) {
    it(`reports at once to a waiting caller that the platform answered ${status}, where others ask again`, async () => {
      const host = await start((_, index) => (index % 2 === 0 ? { status, reason: "no answer" } : VERSION));
      const registered = registry(() => Promise.resolve(host.connection));
      const prompt = await registered.prompt(1);
      await assert.rejects(prompt.version(), (error) => error instanceof DroverError && error.kind === "platform");
      assert.equal((await prompt.version()).version, "8.4.5");
      assert.equal((await (await registered.of(1)).version()).version, "8.4.5");
      assert.equal(host.arrivals.length, 4);
    });
  }

  it("connects without a record", async () => {
    const host = await start(() => VERSION);
    const hypervisors = registry(() => assert.fail("no record is read"));
    const trial = hypervisors.connect(host.connection);
    assert.equal((await trial.version()).version, "8.4.5");
    await trial.close();
  });
});

const arrived = (host: ScriptedHost): Promise<void> =>
  eventually(() => Promise.resolve(assert.equal(host.arrivals.length, 1)));
