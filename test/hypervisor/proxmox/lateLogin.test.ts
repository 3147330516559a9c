// A call whose time is over when its login is answered: it is not sent, and waits for nothing.
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { PlatformReason } from "../../../src/hypervisor/platformError.js";
import { ProxmoxClient } from "../../../src/hypervisor/proxmox/client.js";
import { driverOptions } from "../../../src/hypervisor/proxmox/options.js";
import { Cleanup, QUICK } from "../support/driver.js";
import { refusal } from "../support/rejection.js";
import { startScriptedHost, type Script } from "../support/scriptedHost.js";

/** Time of the call; its login is answered later, whatever the machine's pace. */
const WITHIN_MS = 20;
const TICKET = JSON.stringify({ data: { username: "root@pam", ticket: "PVE:root@pam:1", CSRFPreventionToken: "c" } });

describe("hypervisor/proxmox: a login that outlasts its call", () => {
  const cleanup = new Cleanup();
  const warnings: string[] = [];
  const keep = ({ name }: Error): void => void warnings.push(name);
  before(() => process.on("warning", keep));
  after(() => process.off("warning", keep));
  afterEach(() => cleanup.run());

  it("leaves the call unsent, without a negative time for its answer", async () => {
    const lateTicket: Script = { raw: (response) => void delay(3 * WITHIN_MS).then(() => response.end(TICKET)) };
    const host = await startScriptedHost(({ path }) => (path.endsWith("/access/ticket") ? lateTicket : { data: {} }));
    cleanup.add(() => host.close());
    const connection = { ...host.connection, credential: { kind: "password", password: "secret" } as const };
    const client = new ProxmoxClient(connection, true, driverOptions(QUICK));
    cleanup.add(() => client.close());
    const late = client.ask({ method: "POST", path: "/late", withinMs: WITHIN_MS });
    await refusal(late, PlatformReason.UNREACHABLE, "the time was up before the request was sent");
    await client.ask({ method: "GET", path: "/later" });
    assert.deepEqual(
      host.arrivals.map(({ path }) => path),
      ["/api2/json/access/ticket", "/api2/json/later"],
    );
    assert.deepEqual(warnings, []);
  });
});
