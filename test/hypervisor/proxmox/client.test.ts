// Every way in which a host can fail to answer, against real HTTPS servers.
import assert from "node:assert/strict";
import { createServer, type Server } from "node:net";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { Pool } from "undici";
import { boundOf } from "../../../src/hypervisor/proxmox/answerBounds.js";
import { exchange, TransportFailure } from "../../../src/hypervisor/proxmox/exchange.js";
import { mayRepeat } from "../../../src/hypervisor/proxmox/retry.js";
import { PlatformReason } from "../../../src/hypervisor/platformError.js";
import type { GuestAddress } from "../../../src/hypervisor/guest.js";
import { createHypervisors } from "../../../src/hypervisor/hypervisors.js";
import { proxmoxDriver } from "../../../src/hypervisor/proxmox/driver.js";
import { eventually } from "../../support/eventually.js";
import { HandTime } from "../../support/handTime.js";
import { refusedAs } from "../../support/refusal.js";
import { Cleanup, connected, QUICK, scripted } from "../support/driver.js";
import { refusal } from "../support/rejection.js";
import {
  listen,
  scriptedConnection,
  startScriptedHost,
  type Script,
  type ScriptedHost,
} from "../support/scriptedHost.js";

const GUEST: GuestAddress = { type: "qemu", node: "pve1", vmid: 100 };
const VERSION = { data: { version: "8.4.5", release: "8.4", repoid: "abc" } };
const UPID = "UPID:pve1:0003A1B2:01C2D3E4:6740A1B2:qmstart:100:root@pam!panel:";
/** Of answers that come piece by piece. */
const SLOW = { callMs: 10_000, longAnswerMs: 120_000 };
const WRONG = Array.from({ length: 32 }, () => "AB").join(":");

describe("hypervisor/proxmox/client", () => {
  const cleanup = new Cleanup();
  afterEach(() => cleanup.run());

  /** A host whose answer the test sends piece by piece. */
  const slowly = async () => {
    const time = new HandTime();
    const { promise: response, resolve: raw } = Promise.withResolvers<ServerResponse>();
    const { driver } = await scripted(cleanup, () => ({ raw }), { ...SLOW, stopwatch: time });
    return { driver, time, response };
  };

  it("sends forms with their length, and GET and DELETE without a body", async () => {
    const { host, driver } = await scripted(cleanup, () => ({ data: UPID }));
    const template = { ...GUEST, vmid: 9000 };
    await driver.clone({
      template,
      node: "pve1",
      vmid: 101,
      name: "web1",
      storage: "local",
      pool: null,
      description: "made by job 7 & co",
    });
    await driver.destroy(GUEST);
    await driver.power(GUEST, "start");
    const [clone, destroy, start] = host.arrivals;
    const description = "made by job 7 & co";
    assert.deepEqual(clone?.form, { newid: "101", name: "web1", full: "1", storage: "local", description });
    assert.equal(clone?.headers["content-type"], "application/x-www-form-urlencoded");
    assert.equal(clone?.headers["content-length"], String(clone?.body.length));
    assert.deepEqual(destroy?.query, { purge: "1", "destroy-unreferenced-disks": "0" });
    assert.deepEqual([destroy?.method, destroy?.body, destroy?.headers["content-length"]], ["DELETE", "", undefined]);
    assert.deepEqual([start?.method, start?.headers["content-length"]], ["POST", "0"]);
    for (const { headers } of host.arrivals) assert.equal(headers["transfer-encoding"], undefined);
  });

  it("percent-encodes every path segment", async () => {
    const { host, driver } = await scripted(cleanup, () => ({ data: [] }));
    await driver.volumes("pve1", "odd/name?#", "vztmpl");
    assert.equal(host.arrivals[0]?.path, "/api2/json/nodes/pve1/storage/odd%2Fname%3F%23/content");
    assert.deepEqual(host.arrivals[0]?.query, { content: "vztmpl" });
  });

  it("reports a host that refuses connections, and repeats even a change, since nothing was sent", async () => {
    const port = await unusedPort();
    const driver = connected(cleanup, scriptedConnection(port, WRONG));
    await refusal(driver.power(GUEST, "start"), PlatformReason.UNREACHABLE, /ECONNREFUSED/);
  });

  it("repeats a change whose connection was refused, once the host is back", async () => {
    const first = await startScriptedHost(() => ({ data: UPID }));
    await first.close();
    const time = new HandTime();
    const driver = connected(cleanup, first.connection, { repeatAfterMs: [300], stopwatch: time });
    const started = driver.power(GUEST, "start");
    await time.waitsFor(300);
    const second = await startScriptedHost(() => ({ data: UPID }), first.port);
    cleanup.add(() => second.close());
    time.move(300);
    assert.equal(await started, UPID);
    assert.equal(second.arrivals.length, 1);
  });

  it("gives up a host that accepts connections and sends nothing, not even TLS", async () => {
    const server = createServer();
    const port = await listen(server);
    cleanup.add(() => closed(server));
    const time = new HandTime();
    const brief = connected(cleanup, scriptedConnection(port, WRONG), { callMs: 200, stopwatch: time });
    const given = refusal(brief.power(GUEST, "start"), PlatformReason.UNREACHABLE, /no answer within/);
    await time.waitsFor(200);
    time.move(200);
    await given;
    const limits = { connectMs: 200, repeatAfterMs: [], stopwatch: new HandTime() };
    const driver = connected(cleanup, scriptedConnection(port, WRONG), limits);
    await refusal(driver.power(GUEST, "start"), PlatformReason.UNREACHABLE);
  });

  it("reports that a host speaks no TLS", async () => {
    const server = createServer((socket) =>
      socket.end("HTTP/1.1 400 Bad Request\r\n\r\n").on("error", () => undefined),
    );
    const port = await listen(server);
    cleanup.add(() => closed(server));
    const driver = connected(cleanup, scriptedConnection(port, WRONG));
    await refusal(driver.version(), PlatformReason.UNREACHABLE, "does not speak TLS");
  });

  it("gives up a hanging host in time, also for calls that wait for a free connection", async () => {
    const time = new HandTime();
    const settings = { callMs: 300, connections: 1, stopwatch: time };
    const { host, driver } = await scripted(cleanup, () => "hang", settings);
    const given = [driver.version(), driver.cluster()].map((call) =>
      refusal(call, PlatformReason.UNREACHABLE, /no answer within/),
    );
    await time.waitsFor(300, 2);
    await arrived(host);
    time.move(300);
    await Promise.all(given);
    assert.equal(host.arrivals.length, 1, "the one that waited was never sent");
  });

  const uncertain: [string, Script][] = [
    ["no answer", "hang"],
    ["a connection that breaks", "drop"],
    ["596", { status: 596, reason: "Connection timed out" }],
    ["597", { status: 597, reason: "Broken pipe" }],
    ["599", { status: 599, reason: "Too many redirections" }],
    ["garbage", { status: 200, reason: "OK", body: "<html>hello</html>" }],
    ["a success without a task id", { data: null }],
    ["half an answer", { raw: halfAnAnswer }],
  ];
  for (const [name, script] of uncertain) {
    it(`never repeats a change that ends with ${name}, and calls it uncertain`, async () => {
      const time = new HandTime();
      const { host, driver } = await scripted(cleanup, () => script, { callMs: 400, stopwatch: time });
      const given = refusal(driver.power(GUEST, "start"), PlatformReason.UNCERTAIN);
      await arrived(host);
      if (script === "hang") time.move(400);
      await given;
      assert.equal(host.arrivals.length, 1);
    });
  }

  it("does not repeat a change that a node behind the host could not take (595); nothing happened", async () => {
    const { host, driver } = await scripted(cleanup, () => ({ status: 595, reason: "No route to host" }));
    const words = "node pve1 of host pvea cannot be reached: no route to host";
    await refusal(driver.power(GUEST, "start"), PlatformReason.UNREACHABLE, words);
    assert.equal(host.arrivals.length, 1);
  });

  const { UNREACHABLE, FAILED } = PlatformReason;
  const passing: [string, Script, PlatformReason][] = [
    ["a connection that breaks", "drop", UNREACHABLE],
    ["595", { status: 595, reason: "Connection refused" }, UNREACHABLE],
    ["596", { status: 596, reason: "Connection timed out" }, UNREACHABLE],
    ["429 of a proxy", { status: 429, reason: "Too Many Requests" }, UNREACHABLE],
    ["503 of a proxy", { status: 503, reason: "Service Unavailable", body: "<html>" }, UNREACHABLE],
    ["half an answer", { raw: halfAnAnswer }, UNREACHABLE],
    ["a fault of the platform", { status: 500, reason: "got timeout" }, FAILED],
  ];
  for (const [name, script, reason] of passing) {
    it(`repeats a question that ends with ${name}`, async () => {
      const { host, driver } = await scripted(cleanup, (_, index) => (index < 2 ? script : VERSION));
      assert.equal((await driver.version()).version, "8.4.5");
      assert.equal(host.arrivals.length, 3);
    });
    it(`asks three times and no more when every question ends with ${name}`, async () => {
      const { host, driver } = await scripted(cleanup, () => script);
      await refusal(driver.version(), reason);
      assert.equal(host.arrivals.length, 3);
    });
  }

  it("asks once for a guest that is not there", async () => {
    const script: Script = { status: 500, reason: "Configuration file 'nodes/pve1/qemu-server/7.conf' does not exist" };
    const { host, driver } = await scripted(cleanup, () => script);
    await refusal(driver.version(), PlatformReason.NOT_FOUND);
    assert.equal(host.arrivals.length, 1);
  });

  it("does not understand garbage, and never shows it", async () => {
    const { driver } = await scripted(cleanup, () => ({ status: 200, reason: "OK", body: "<html>top secret</html>" }));
    const message = await refusal(driver.version(), PlatformReason.UNINTELLIGIBLE);
    assert.ok(!message.includes("top secret"));
  });

  it("waits for a long answer that keeps arriving", async () => {
    const { driver, time, response } = await slowly();
    const version = driver.version();
    const body = JSON.stringify(VERSION);
    for (let sent = 0; sent < body.length; sent += 5) await piece(await response, time, body.slice(sent, sent + 5));
    (await response).end();
    assert.equal((await version).version, "8.4.5");
    assert.ok(time.milliseconds() > 2 * SLOW.callMs);
  });

  it("gives up an answer that arrives for ever", async () => {
    const { driver, time, response } = await slowly();
    const given = refusal(driver.version(), PlatformReason.UNREACHABLE, /no answer within/);
    while (time.milliseconds() < SLOW.longAnswerMs) await piece(await response, time, " ");
    await given;
  });

  it("asks once what cannot be sent", async () => {
    const pool = new Pool("https://127.0.0.1:1");
    const wanted = {
      method: "GET",
      path: "/",
      headers: { authorization: "PVEAPIToken=日本@pam!panel=x" },
      body: null,
    } as const;
    const stopwatch = new HandTime();
    const limits = { answerMs: 60_000, pauseMs: 60_000, longestMs: 60_000, bound: boundOf("/version"), stopwatch };
    const failure: unknown = await exchange(pool, wanted, limits).catch((error: unknown) => error);
    assert.ok(failure instanceof TransportFailure);
    assert.match(failure.message, /characters that cannot be sent/);
    assert.equal(mayRepeat({ method: "GET" }, failure), false);
    await pool.destroy();
  });

  it("lets only so many people wait for a host, and jobs whatever they do", async () => {
    const host = await startScriptedHost(({ path }) => (path.endsWith("/version") ? VERSION : "hang"));
    const settings = { ...QUICK, callMs: 60_000, promptMs: 60_000, promptCalls: 2 };
    const hypervisors = createHypervisors(() => Promise.resolve(host.connection), proxmoxDriver(settings));
    const prompt = await hypervisors.prompt(1);
    const stuck = [prompt.networks("pve1"), prompt.networks("pve2")].map((waits) => waits.catch(() => "ended"));
    await eventually(() => Promise.resolve(assert.equal(host.arrivals.length, 2)));
    const { reason, retryAfterSeconds } = await refusedAs("unavailable", prompt.version());
    assert.deepEqual([reason, retryAfterSeconds], ["HOST_BUSY", 2]);
    assert.equal((await (await hypervisors.of(1)).version()).version, "8.4.5");
    await host.close();
    assert.deepEqual(await Promise.all(stuck), ["ended", "ended"]);
    assert.equal((await refusedAs("platform", prompt.version())).reason, PlatformReason.UNREACHABLE);
    await hypervisors.close();
  });
});

function halfAnAnswer(response: ServerResponse): void {
  response.writeHead(200, "OK", { "content-length": 100 });
  response.write('{"data":{"ver', () => response.socket?.destroy());
}

/** Sends a piece of an answer, and lets a time go by that is shorter than the longest pause inside one. */
async function piece(response: ServerResponse, time: HandTime, text: string): Promise<void> {
  const received = time.isRead();
  response.write(text);
  await received;
  time.move(4000);
}

const arrived = (host: ScriptedHost): Promise<void> =>
  eventually(() => Promise.resolve(assert.equal(host.arrivals.length, 1)));

const closed = (server: Server): Promise<unknown> => {
  server.close();
  return server.listening ? once(server, "close") : Promise.resolve();
};

async function unusedPort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await closed(server);
  return port;
}
