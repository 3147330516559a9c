// A request whose sender leaves in the middle of it: nothing is done, and it is no fault of the simulator.
import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { IncomingMessage } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import { connect, type TLSSocket } from "node:tls";
import type { RunningHost } from "../../../simulator/host.js";
import { startSimulatedHost } from "../../support/host.js";
import { tokenHeader } from "./rawRequest.js";

const secret = "11111111-2222-4333-8444-555555555555";
const { Authorization } = tokenHeader(secret);

const HALF = [
  "POST /api2/json/nodes/pvea/qemu HTTP/1.1",
  "Host: pvea",
  `Authorization: ${Authorization}`,
  "Content-Type: application/x-www-form-urlencoded",
  "Content-Length: 100",
  "",
  "vmid=100",
].join("\r\n");

describe("simulator/transport, a request that is broken off", () => {
  let host: RunningHost;
  const faults: unknown[] = [];
  before(async () => {
    host = await startSimulatedHost({
      name: "pvea",
      release: "9.2",
      tokens: [{ id: "root@pam!panel", secret }],
      reportFault: (error) => faults.push(error),
    });
  });
  after(() => host.close());

  it("is not carried out, and not reported", async () => {
    const socket = connect({ host: "127.0.0.1", port: host.port, rejectUnauthorized: false });
    await once(socket, "secureConnect");
    const request = await arrivalOf(socket);
    const left = new Promise((resolve) => request.once("close", resolve));
    socket.destroy();
    await left;
    await turn();
    assert.equal(request.complete, false);
    assert.deepEqual(faults, []);
    assert.equal(host.platform.state.guests.size, 0);
  });
});

/** Sends the half, and waits for it on the other side. */
async function arrivalOf(socket: TLSSocket): Promise<IncomingMessage> {
  const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
  const hear = (message: unknown): void => {
    const request: unknown = Reflect.get(Object(message), "request");
    if (request instanceof IncomingMessage && request.method === "POST") resolve(request);
  };
  subscribe("http.server.request.start", hear);
  socket.write(HALF);
  return promise.finally(() => unsubscribe("http.server.request.start", hear));
}
