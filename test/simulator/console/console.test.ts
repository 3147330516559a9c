// Tests consoles over the wire: whose a ticket is, how a handshake is refused, and what a terminal shows.
import assert from "node:assert/strict";
import { once } from "node:events";
import { WebSocket } from "ws";
import type { RunningHost } from "../../../simulator/host.js";
import { placeGuest } from "../../../simulator/scenarios/placeGuest.js";
import { startSimulatedHost } from "../../support/host.js";
import { form, rawRequest, tokenHeader } from "../transport/rawRequest.js";

const secrets = { panel: "11111111-2222-4333-8444-555555555555", other: "22222222-2222-4333-8444-555555555555" };

interface Console {
  port: string;
  ticket: string;
  user: string;
  upid: string;
}

/** A proxy waits for its connection longer than any test lasts … */
const PATIENT = 0.01;
/** … or not at all. */
const IMPATIENT = 10_000;

describe("simulator: consoles", () => {
  let host: RunningHost;

  beforeEach(async () => {
    const tokens = Object.entries(secrets).map(([id, secret]) => ({ id: `root@pam!${id}`, secret }));
    host = await startSimulatedHost({ name: "pvea", release: "9.2", tokens, timeFactor: PATIENT });
    const plan = { type: "qemu", node: "pvea", status: "running", memory: 256, cores: 1, diskGb: 1 } as const;
    placeGuest(host.platform, { ...plan, vmid: 100, name: "web", config: {}, snapshots: [] });
  });
  afterEach(() => host.close());

  async function ask(proxy: "vncproxy" | "termproxy"): Promise<Console> {
    const { headers, body } = form(proxy === "vncproxy" ? { websocket: "1" } : {});
    const path = `/api2/json/nodes/pvea/qemu/100/${proxy}`;
    const answer = await rawRequest(host.url, {
      method: "POST",
      path,
      headers: { ...headers, ...tokenHeader(secrets.panel) },
      body,
    });
    return JSON.parse(answer.text).data;
  }

  function connect({ port, ticket }: Pick<Console, "port" | "ticket">, who: keyof typeof secrets): WebSocket {
    const query = new URLSearchParams({ port, vncticket: ticket }).toString();
    const url = `${host.url.replace("https", "wss")}/api2/json/nodes/pvea/qemu/100/vncwebsocket?${query}`;
    const headers = tokenHeader(secrets[who], `root@pam!${who}`);
    return new WebSocket(url, "binary", { rejectUnauthorized: false, headers });
  }

  it("serves one connection of the client that asked for it", async () => {
    const given = await ask("vncproxy");
    const websocket = connect(given, "panel");
    const [greeting] = await once(websocket, "message");
    assert.deepEqual([String(greeting), websocket.protocol, given.port], ["RFB 003.008\n", "binary", "5900"]);
    websocket.close();
    await host.platform.tasks.settled(given.upid);
    assert.equal(host.platform.tasks.find(given.upid)?.exitstatus, "OK");
  });

  it("refuses a ticket that another identity was given, or for another port", async () => {
    const given = await ask("vncproxy");
    for (const [asked, who] of [
      [given, "other"],
      [{ ...given, port: "5950" }, "panel"],
    ] as const) {
      const websocket = connect(asked, who);
      const [, response] = await once(websocket, "unexpected-response");
      assert.deepEqual(
        [response.statusCode, response.statusMessage],
        [401, "permission denied - invalid PVEVNC ticket"],
      );
      websocket.on("error", () => {});
      websocket.terminate();
    }
  });

  it("reports in plain text what is wrong with a handshake", async () => {
    const { port, ticket } = await ask("vncproxy");
    const query = new URLSearchParams({ port, vncticket: ticket }).toString();
    const upgrade = { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": "8" };
    const path = `/api2/json/nodes/pvea/qemu/100/vncwebsocket?${query}`;
    const headers = { ...upgrade, "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==", ...tokenHeader(secrets.panel) };
    const answer = await rawRequest(host.url, { path, headers });
    assert.deepEqual([answer.status, answer.text], [500, "unsupported websocket-version '8'\n"]);
    const plain = await rawRequest(host.url, { path, headers: tokenHeader(secrets.panel) });
    assert.deepEqual([plain.status, plain.text], [200, '{"data":{"port":"5900"}}']);
  });

  it("shows on a terminal what the guest writes, once it has received whose it is", async () => {
    const given = await ask("termproxy");
    const websocket = connect(given, "panel");
    await once(websocket, "open");
    websocket.send(Buffer.from(`${given.user}:${given.ticket}\n`));
    const [ok] = await once(websocket, "message");
    assert.equal(String(ok), "OK");
    const written = once(websocket, "message");
    const response = await fetch(`${host.control}/consoles/100`, { method: "POST", body: '{"text":"login: "}' });
    assert.deepEqual(await response.json(), { connections: 1 });
    assert.equal(String((await written)[0]), "login: ");
    websocket.close();
  });

  it("gives up when no client comes", async () => {
    const { upid } = await ask("termproxy");
    host.platform.clock.timeFactor = IMPATIENT;
    await host.platform.tasks.settled(upid);
    const task = host.platform.tasks.find(upid);
    assert.equal(task?.lines[0], "connection timed out");
    assert.match(task?.exitstatus ?? "", /^command '\/usr\/bin\/termproxy 5900 --path \/vms\/100 /);
  });
});
