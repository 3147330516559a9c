// Tests the control address of a simulated host, call by call.
import assert from "node:assert/strict";
import type { RunningHost } from "../../../simulator/host.js";
import { startSimulatedHost } from "../../support/host.js";
import { form, rawRequest, tokenHeader } from "../transport/rawRequest.js";
import type { RawAnswer } from "../transport/rawRequest.js";

const secret = "11111111-2222-4333-8444-555555555555";

interface ControlAnswer {
  status: number;
  body: Record<string, unknown>;
  /** The answer when it is a list. */
  rows: Record<string, unknown>[];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

describe("control address", () => {
  let host: RunningHost;

  beforeEach(async () => {
    host = await startSimulatedHost({
      name: "pvea",
      release: "9.2",
      tokens: [{ id: "root@pam!panel", secret }],
      timeFactor: 100,
      nodes: ["pvea", "pveb"],
    });
  });
  afterEach(() => host.close());

  async function control(method: string, path: string, body?: unknown): Promise<ControlAnswer> {
    const response = await fetch(host.control + path, {
      method,
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    return { status: response.status, body: isRecord(answer) ? answer : {}, rows: records(answer) };
  }

  function ask(path: string): Promise<RawAnswer> {
    return rawRequest(host.url, { path: `/api2/json${path}`, headers: tokenHeader(secret) });
  }

  function post(path: string, values: Record<string, string>): Promise<RawAnswer> {
    const { headers, body } = form(values);
    return rawRequest(host.url, {
      method: "POST",
      path: `/api2/json${path}`,
      headers: { ...headers, ...tokenHeader(secret) },
      body,
    });
  }

  const guest = {
    type: "qemu",
    vmid: 100,
    node: "pvea",
    name: "web1",
    memory: 1024,
    cores: 2,
    diskGb: 8,
    tags: ["a", "b"],
  };

  it("puts a guest there and shows everything about it", async () => {
    const added = await control("POST", "/guests", { ...guest, status: "running", snapshots: ["pre"], lock: "backup" });
    assert.equal(added.status, 200);
    const { body } = await control("GET", "/state");
    const [shown] = records(body.guests);
    const { config, ...others } = shown ?? {};
    assert.ok(isRecord(config) && config.name === "web1");
    assert.deepEqual(others, {
      type: "qemu",
      vmid: 100,
      node: "pvea",
      name: "web1",
      status: "running",
      qmpstatus: "running",
      lock: "backup",
      tags: ["a", "b"],
      onboot: false,
      template: false,
      pending: {},
      pendingDeletes: [],
      firewall: null,
      snapshots: ["pre"],
      snapshotsWithMemory: [],
      hastate: null,
    });
    const status = JSON.parse((await ask("/nodes/pvea/qemu/100/status/current")).text);
    assert.equal(status.data.status, "running");
    assert.equal(status.data.maxmem, 1024 ** 3);
  });

  const rawForms: [written: string, config: object][] = [
    ["pairs", { lxc: [["lxc.apparmor.profile", "unconfined"]] }],
    ["lines of the file", { lxc: ["lxc.apparmor.profile: unconfined"] }],
    ["one line of the file", { lxc: "lxc.apparmor.profile = unconfined" }],
    ["keys", { "lxc.apparmor.profile": "unconfined" }],
  ];
  for (const [written, config] of rawForms) {
    it(`takes the raw lines of a container as ${written}, and shows them as Proxmox VE does`, async () => {
      const { body } = await control("POST", "/guests", { ...guest, type: "lxc", config });
      const lxc = [["lxc.apparmor.profile", "unconfined"]];
      assert.deepEqual(isRecord(body.config) && body.config.lxc, lxc);
      const shown = JSON.parse((await ask("/nodes/pvea/lxc/100/config")).text);
      assert.deepEqual(shown.data.lxc, lxc);
      assert.equal("lxc.apparmor.profile" in shown.data, false);
    });
  }

  it("removes a guest with its volumes", async () => {
    await control("POST", "/guests", guest);
    assert.equal((await control("DELETE", "/guests/100")).status, 200);
    assert.deepEqual(JSON.parse((await ask("/nodes/pvea/storage/local/content?vmid=100")).text).data, []);
    assert.equal((await control("DELETE", "/guests/100")).status, 404);
  });

  it("lists requests with secrets masked", async () => {
    await post("/access/users", { userid: "ops@pve", password: "very-secret" });
    const { rows } = await control("GET", "/requests?since=0");
    assert.deepEqual(rows[0], {
      n: 1,
      method: "POST",
      path: "/access/users",
      form: { userid: "ops@pve", password: "********" },
      status: 200,
    });
    assert.deepEqual((await control("GET", "/requests?since=1")).rows, []);
  });

  it("answers a fault as often as ordered", async () => {
    const { body } = await control("POST", "/faults", {
      path: "^/version",
      effect: "status",
      status: 500,
      message: "broken",
      times: 2,
    });
    assert.equal(typeof body.id, "string");
    const answers = [await ask("/version"), await ask("/nodes"), await ask("/version"), await ask("/version")];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [500, 200, 500, 200],
    );
    assert.equal(answers[0]?.reason, "broken");
  });

  it("drops, delays and forgets faults", async () => {
    const { body } = await control("POST", "/faults", { method: "GET", effect: "drop" });
    await assert.rejects(ask("/version"));
    assert.equal((await control("DELETE", `/faults/${String(body.id)}`)).status, 200);
    await control("POST", "/faults", { delayMs: 120 });
    const slow = await ask("/version");
    assert.ok(slow.took >= 115 && slow.status === 200, `${slow.took} ms`);
    await control("POST", "/faults", { delayMs: 3_600_000 });
    assert.equal((await control("DELETE", "/faults")).status, 200);
    assert.equal((await ask("/version")).status, 200);
  });

  it("carries a request out whose answer is then lost", async () => {
    await control("POST", "/faults", { method: "POST", effect: "drop", afterwards: true, times: 1 });
    await assert.rejects(post("/access/users", { userid: "ops@pve" }));
    assert.match((await ask("/access/users")).text, /ops@pve/);
  });

  it("fails the next matching task at a fraction of its work", async () => {
    await control("POST", "/guests", guest);
    await control("POST", "/tasks/fail", { type: "qmstart", vmid: 100, atFraction: 0.5, message: "no luck" });
    const upid = JSON.parse((await post("/nodes/pvea/qemu/100/status/start", {})).text).data;
    await host.platform.tasks.settled(upid);
    const { body } = await control("GET", "/state");
    const [task] = records(body.tasks);
    assert.deepEqual([task?.upid, task?.type, task?.status, task?.exitstatus], [upid, "qmstart", "stopped", "no luck"]);
  });

  it("changes a node's load, version and being up", async () => {
    await control("POST", "/nodes/pveb", { cpu: 0.5, memUsedMb: 1000, version: "9.1.4" });
    const { body } = await control("GET", "/state");
    const node = records(body.nodes).find(({ name }) => name === "pveb");
    assert.deepEqual([node?.online, node?.memUsedMb, node?.version], [true, 1000, "9.1.4"]);
    assert.ok(Number(node?.cpu) > 0.4 && Number(node?.cpu) < 0.6);
    await control("POST", "/nodes/pveb", { online: false });
    const answer = await ask("/nodes/pveb/status");
    assert.deepEqual([answer.status, answer.reason, answer.text], [595, "No route to host", ""]);
    await control("POST", "/nodes/pvea", { online: false });
    await assert.rejects(ask("/version"));
  });

  it("takes running guests down with their node, and starts those that start on boot unless they are locked", async () => {
    const states = async () => {
      const { body } = await control("GET", "/state");
      return records(body.guests).map(({ status }) => status);
    };
    const configs = [{ onboot: true }, {}, { onboot: true, lock: "migrate" }];
    for (const [index, { lock, ...config }] of configs.entries()) {
      const vmid = 200 + index;
      await control("POST", "/guests", { ...guest, vmid, status: "running", config, ...(lock && { lock }) });
    }
    await control("POST", "/nodes/pvea", { online: false });
    assert.deepEqual(await states(), ["stopped", "stopped", "stopped"]);
    await control("POST", "/nodes/pvea", { online: true });
    await Promise.all(host.platform.tasks.active().map(({ upid }) => host.platform.tasks.settled(upid)));
    assert.deepEqual(await states(), ["running", "stopped", "stopped"]);
  });

  it("unlocks guests and holds forwards as a node's agent would", async () => {
    await control("POST", "/guests", { ...guest, lock: "migrate" });
    const unlocked = await control("POST", "/nodes/pvea/shell", { command: ["qm", "unlock", "100"] });
    const wrongType = await control("POST", "/nodes/pvea/shell", { command: ["pct", "unlock", 100] });
    const forward = { protocol: "tcp", publicPort: 2222, guestAddress: "10.0.0.5", guestPort: 22 };
    await control("PUT", "/nodes/pvea/forwards", { forwards: [forward] });
    const { body } = await control("GET", "/state");
    assert.deepEqual([unlocked.status, wrongType.status], [200, 409]);
    assert.equal(records(body.guests)[0]?.lock, null);
    assert.deepEqual(body.forwards, [{ node: "pvea", ...forward }]);
  });

  it("sets speed and pace", async () => {
    const { body } = await control("POST", "/speed", { bytesPerSecond: 1000, timeFactor: 7 });
    assert.deepEqual(body, { bytesPerSecond: 1000, timeFactor: 7 });
  });

  const refusals: [method: string, path: string, body: unknown, status: number, error: RegExp][] = [
    ["POST", "/faults", {}, 400, /effect or delayMs/],
    ["POST", "/faults", { effect: "status" }, 400, /^status: /],
    ["POST", "/faults", { path: "(", effect: "drop" }, 400, /^path: is no regular expression/],
    ["POST", "/faults", { effect: "drop", nosuch: 1 }, 400, /nosuch/],
    ["POST", "/faults", "{", 400, /no JSON/],
    ["DELETE", "/faults/99", undefined, 404, /no fault/],
    ["POST", "/tasks/fail", { type: "qmstart", atFraction: 2, message: "x" }, 400, /^atFraction: /],
    ["POST", "/speed", { timeFactor: 0 }, 400, /^timeFactor: /],
    ["POST", "/nodes/pvez", {}, 404, /no node 'pvez'/],
    ["POST", "/nodes/pvea", { cpu: 3 }, 400, /^cpu: /],
    ["POST", "/nodes/pvea/shell", { command: ["qm", "destroy", 100] }, 400, /^command/],
    ["POST", "/nodes/pvea/shell", { command: ["qm", "unlock", 100] }, 409, /does not exist/],
    ["POST", "/guests", { ...guest, vmid: 99 }, 400, /^vmid: /],
    ["POST", "/guests", { ...guest, node: "pvez" }, 409, /no node 'pvez'/],
    ["POST", "/guests", { ...guest, storage: "tank" }, 409, /no storage 'tank'/],
    ["GET", "/requests?since=x", undefined, 400, /^since: /],
    ["GET", "/nosuch", undefined, 404, /no \/nosuch/],
    ["DELETE", "/state", undefined, 405, /not for DELETE/],
  ];
  for (const [method, path, body, status, error] of refusals) {
    it(`refuses ${method} ${path} ${JSON.stringify(body) ?? ""}`, async () => {
      const answer = await control(method, path, body);
      assert.equal(answer.status, status);
      assert.match(String(answer.body.error), error);
    });
  }

  it("sets the counters of a running guest, plants older backups, and shows both", async () => {
    const web = { type: "qemu", vmid: 120, node: "pvea", name: "web", status: "running" };
    await control("POST", "/guests", web);
    assert.equal((await control("POST", "/guests/120", { netin: 5_000_000_000, diskwrite: 7 })).status, 200);
    const status = JSON.parse((await ask("/nodes/pvea/qemu/120/status/current")).text).data;
    assert.ok(status.netin >= 5_000_000_000 && status.netin < 5_001_000_000, String(status.netin));
    assert.equal(status.diskwrite, 7);
    const planted = await control("POST", "/backups", {
      type: "qemu",
      vmid: 120,
      node: "pvea",
      storage: "local",
      time: "2026-01-02T03:04:05Z",
      notes: "old",
      protected: true,
    });
    assert.match(String(planted.body.volid), /^local:backup\/vzdump-qemu-120-2026_01_0\d-\d\d_04_05\.vma\.zst$/);
    const state = await control("GET", "/state");
    const [backup] = records(state.body.backups);
    assert.deepEqual([backup?.vmid, backup?.notes, backup?.protected], [120, "old", true]);
    const stopped = { ...web, vmid: 121, status: "stopped" };
    await control("POST", "/guests", stopped);
    assert.equal((await control("POST", "/guests/121", { netin: 1 })).status, 409);
    assert.equal((await control("POST", "/backups", { ...planted.body, type: "qemu" })).status, 400);
  });

  it("takes speeds that are no whole numbers", async () => {
    const set = await control("POST", "/speed", { bytesPerSecond: 1234.5, timeFactor: 2.5 });
    assert.deepEqual([set.status, set.body], [200, { bytesPerSecond: 1234.5, timeFactor: 2.5 }]);
  });
});
