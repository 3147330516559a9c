// Which connection a request goes over: questions share those that rest, changes trust none of them.
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import type { GuestAddress } from "../../../src/hypervisor/guest.js";
import { eventually } from "../../support/eventually.js";
import { Cleanup, scripted } from "../support/driver.js";

const GUEST: GuestAddress = { type: "lxc", node: "pve1", vmid: 100 };
const VERSION = { data: { version: "8.4.5", release: "8.4", repoid: "abc" } };
const UPID = "UPID:pve1:0003A1B2:01C2D3E4:6740A1B2:vzstart:100:root@pam!panel:";

describe("hypervisor/proxmox/connections", () => {
  const cleanup = new Cleanup();
  afterEach(() => cleanup.run());

  it("keeps connections alive and proves who asks on every request", async () => {
    const { host, driver } = await scripted(cleanup, () => VERSION);
    for (let count = 0; count < 5; count++) await driver.version();
    assert.ok(host.connections() <= 2, "undici lets a connection rest for one turn of the event loop");
    assert.equal(
      host.arrivals[4]?.headers.authorization,
      "PVEAPIToken=root@pam!panel=aaaaaaaa-0000-4000-8000-000000000001",
    );
  });

  it("sends no change over a connection that has rested: the host may be ending it at this moment", async () => {
    const sockets = new Set<Socket>();
    const { driver } = await scripted(cleanup, () => ({
      raw: (response) => {
        if (response.socket !== null) sockets.add(response.socket);
        response.end(JSON.stringify({ data: UPID }));
      },
    }));
    await driver.power(GUEST, "start");
    const [first] = sockets;
    await eventually(() => Promise.resolve(assert.equal(first?.destroyed, true)));
    await driver.power(GUEST, "start");
    assert.equal(sockets.size, 2);
  });

  it("sends each change over a connection of its own to a host that ends those that rest", async () => {
    const { host, driver } = await scripted(cleanup, ({ method }) => ({
      raw: (response) => {
        const { socket } = response;
        response.end(JSON.stringify(method === "GET" ? VERSION : { data: UPID }));
        if (method === "GET") setImmediate(() => socket?.end());
      },
    }));
    const changes = () => host.arrivals.filter(({ method }) => method === "POST");
    await eventually(async () => {
      await driver.version();
      await driver.power(GUEST, "start");
      assert.equal(changes().at(-1)?.headers.connection, "close");
    });
  });
});
