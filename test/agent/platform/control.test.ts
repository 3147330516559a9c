// The simulated platform says the right words to the control address and understands its answers.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { Server } from "node:http";
import { createServer } from "node:http";
import { createControlPlatform } from "../../../agent/platform/control.js";
import type { Platform } from "../../../agent/platform/platform.js";
import { portOf } from "../fakeService.js";

const NODE = { name: "pve1", online: true, cpu: 0.25, memTotalMb: 65_536, memUsedMb: 2048 };

describe("agent platform: control address", () => {
  const calls: string[] = [];
  let answer: { status: number; body: unknown };
  let server: Server;
  let platform: Platform;

  beforeEach(async () => {
    calls.length = 0;
    answer = { status: 200, body: {} };
    server = createServer((request, response) => {
      let text = "";
      request.on("data", (chunk) => (text += String(chunk)));
      request.on("end", () => {
        calls.push(`${request.method} ${request.url} ${text}`.trim());
        response.writeHead(answer.status).end(JSON.stringify(answer.body));
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const control = `http://127.0.0.1:${portOf(server.address())}`;
    platform = createControlPlatform({ control, node: "pve1", publicAddress: "203.0.113.4" });
  });
  afterEach(() => {
    platform.close();
    server.close();
    server.closeAllConnections();
  });

  it("takes the figures of its node", async () => {
    answer.body = { nodes: [{ ...NODE, name: "pve2", cpu: 0.9 }, NODE] };
    assert.deepEqual(await platform.observe(), {
      hypervisorVersion: null,
      problems: [],
      natConfigured: true,
      publicAddress: "203.0.113.4",
      cpuUsage: 0.25,
      memoryMb: 65_536,
      memoryUsedMb: 2048,
    });
    assert.deepEqual(calls, ["GET /state"]);
  });

  it("reports the version when the state has one", async () => {
    answer.body = { nodes: [{ ...NODE, version: "9.2.11" }] };
    assert.equal((await platform.observe())?.hypervisorVersion, "9.2.11");
  });

  it("keeps the load between 0 and 1", async () => {
    answer.body = { nodes: [{ ...NODE, cpu: 1.5 }] };
    assert.equal((await platform.observe())?.cpuUsage, 1);
  });

  it("reports nothing for a node that is off", async () => {
    answer.body = { nodes: [{ ...NODE, online: false }] };
    assert.equal(await platform.observe(), null);
  });

  const broken: [string, unknown, RegExp][] = [
    ["no such node", { nodes: [] }, /knows no node pve1/],
    ["no nodes", {}, /knows no node pve1/],
    ["no figures", { nodes: [{ name: "pve1", online: true }] }, /no figures/],
  ];
  for (const [name, body, fault] of broken) {
    it(`fails on ${name}`, async () => {
      answer.body = body;
      await assert.rejects(platform.observe(), fault);
    });
  }

  it("unlocks by the command of the guest's type", async () => {
    await platform.unlockGuest({ type: "qemu", vmid: 100 }, 1000);
    await platform.unlockGuest({ type: "lxc", vmid: 101 }, 1000);
    assert.deepEqual(calls, [
      'POST /nodes/pve1/shell {"command":["qm","unlock","100"]}',
      'POST /nodes/pve1/shell {"command":["pct","unlock","101"]}',
    ]);
  });

  it("hands on why a command failed", async () => {
    answer = { status: 400, body: { error: "Configuration file 'nodes/pve1/qemu-server/100.conf' does not exist" } };
    await assert.rejects(platform.unlockGuest({ type: "qemu", vmid: 100 }, 1000), /100\.conf' does not exist/);
  });

  it("puts the whole set of forwards", async () => {
    await platform.applyForwards([
      { id: "1", protocol: "tcp", publicPort: 2222, guestAddress: "10.0.0.5", guestPort: 22 },
    ]);
    const [forward] = ['{"protocol":"tcp","publicPort":2222,"guestAddress":"10.0.0.5","guestPort":22}'];
    assert.deepEqual(calls, [`PUT /nodes/pve1/forwards {"forwards":[${forward}]}`]);
  });
});
