// Each kind of job with good and bad arguments; the TCP check against real sockets.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { performerOf } from "../../../agent/jobs/kinds.js";
import { tcpCheck } from "../../../agent/jobs/tcpCheck.js";
import { createFakePlatform } from "../fakePlatform.js";
import { portOf } from "../fakeService.js";

describe("agent job unlock_guest", () => {
  const unlock = performerOf("unlock_guest");

  for (const [type, vmid] of [["qemu", 100] as const, ["lxc", 999_999_999] as const]) {
    it(`unlocks ${type} ${vmid}`, async () => {
      const platform = createFakePlatform();
      assert.deepEqual(await unlock(platform, { type, vmid }, 1000), {});
      assert.deepEqual(platform.done, [`unlock ${type} ${vmid}`]);
    });
  }

  it("never takes longer than its deadline allows, nor than a minute", async () => {
    const limits: number[] = [];
    const platform = createFakePlatform({ unlockGuest: async (_guest, limit) => void limits.push(limit) });
    await unlock(platform, { type: "qemu", vmid: 100 }, 5000);
    await unlock(platform, { type: "qemu", vmid: 100 }, 3_600_000);
    assert.deepEqual(limits, [5000, 60_000]);
  });

  const bad: [string, unknown, RegExp][] = [
    ["no payload", undefined, /payload/],
    ["another type", { type: "openvz", vmid: 100 }, /type must be/],
    ["a low vmid", { type: "qemu", vmid: 99 }, /vmid must be/],
    ["a high vmid", { type: "qemu", vmid: 1_000_000_000 }, /vmid must be/],
    ["a vmid as text", { type: "qemu", vmid: "100; reboot" }, /vmid must be/],
    ["a fraction", { type: "qemu", vmid: 100.5 }, /vmid must be/],
  ];
  for (const [name, payload, fault] of bad) {
    it(`refuses ${name}`, async () => {
      const platform = createFakePlatform();
      await assert.rejects(unlock(platform, payload, 1000), fault);
      assert.deepEqual(platform.done, []);
    });
  }
});

describe("agent job apply_port_forwards", () => {
  const apply = performerOf("apply_port_forwards");
  const forward = { id: 1, protocol: "tcp", public_port: 2222, guest_address: "10.0.0.5", guest_port: 22 };

  it("applies the whole set, also an empty one", async () => {
    const platform = createFakePlatform();
    assert.deepEqual(await apply(platform, { forwards: [forward] }, 1000), { applied: 1 });
    assert.deepEqual(await apply(platform, { forwards: [] }, 1000), { applied: 0 });
    assert.deepEqual(platform.done, ["forwards 2222", "forwards "]);
  });

  it("applies the rest when one would take a port from the node, and another lead to the node itself", async () => {
    const platform = createFakePlatform();
    const own = { ...forward, id: 2, public_port: 8006 };
    const itself = { ...forward, id: 3, public_port: 3333, guest_address: "127.0.0.1" };
    await assert.rejects(
      apply(platform, { forwards: [forward, own, itself] }, 1000),
      /^Error: forward 2: public tcp port 8006 is the node's own, for the platform's API; forward 3: 127\.0\.0\.1 is no/,
    );
    assert.deepEqual(platform.done, ["forwards 2222"]);
  });

  it("applies nothing when one is bad", async () => {
    const platform = createFakePlatform();
    await assert.rejects(
      apply(platform, { forwards: [forward, { ...forward, protocol: "x" }] }, 1000),
      /forwards\[1\]/,
    );
    await assert.rejects(apply(platform, {}, 1000), /must be a list/);
    assert.deepEqual(platform.done, []);
  });
});

describe("agent job tcp_check", () => {
  it("reaches a listening port", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const result = await tcpCheck({ host: "127.0.0.1", port: portOf(server.address()), timeout_ms: 1000 });
    assert.equal(result.reachable, true);
    assert.equal(result.error, null);
    assert.ok(result.latency_ms !== null && result.latency_ms >= 0 && result.latency_ms < 1000);
    server.close();
  });

  it("reports a refused connection", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const port = portOf(server.address());
    server.close();
    await once(server, "close");
    const result = await tcpCheck({ host: "127.0.0.1", port });
    assert.equal(result.reachable, false);
    assert.equal(result.latency_ms, null);
    assert.match(result.error ?? "", /ECONNREFUSED/);
  });

  it("reports a name that does not exist", async () => {
    const result = await tcpCheck({ host: "no-such-host.invalid", port: 1, timeout_ms: 5000 });
    assert.equal(result.reachable, false);
    assert.match(result.error ?? "", /ENOTFOUND|EAI_AGAIN|no connection within/);
  });

  it("gives up in time (192.0.2.0/24 is no network, RFC 5737)", async () => {
    const result = await tcpCheck({ host: "192.0.2.1", port: 8006, timeout_ms: 50 });
    assert.equal(result.reachable, false);
    assert.match(result.error ?? "", /no connection within 50 ms|ENETUNREACH|EHOSTUNREACH|ECONNREFUSED/);
  });

  const bad: [string, unknown, RegExp][] = [
    ["no payload", null, /payload/],
    ["no host", { port: 1 }, /host/],
    ["a host with a blank", { host: "a b", port: 1 }, /host/],
    ["port 0", { host: "a", port: 0 }, /port/],
    ["port 65536", { host: "a", port: 65_536 }, /port/],
    ["no time", { host: "a", port: 1, timeout_ms: 0 }, /timeout_ms/],
    ["too much time", { host: "a", port: 1, timeout_ms: 60_001 }, /timeout_ms/],
  ];
  for (const [name, payload, fault] of bad) {
    it(`refuses ${name}`, () => assert.rejects(tcpCheck(payload), fault));
  }
});
