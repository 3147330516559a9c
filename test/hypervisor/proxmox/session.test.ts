// Logging in with a password: ticket, CSRF header, renewal, refusals, many calls at once.
import assert from "node:assert/strict";
import { inspect } from "node:util";
import type { HostConnection } from "../../../src/hypervisor/connection.js";
import { PlatformReason } from "../../../src/hypervisor/platformError.js";
import type { DriverOptions } from "../../../src/hypervisor/proxmox/options.js";
import { HandTime } from "../../support/handTime.js";
import { Cleanup, connected } from "../support/driver.js";
import { refusal } from "../support/rejection.js";
import { startScriptedHost, type Arrival, type Script } from "../support/scriptedHost.js";

const PASSWORD = "Secr3t&pass=word";
const UPID = "UPID:pve1:0003A1B2:01C2D3E4:6740A1B2:qmstart:100:root@pam:";
const GUEST = { type: "qemu", node: "pve1", vmid: 100 } as const;
const UNAUTHORIZED: Script = { status: 401, reason: "Authentication failed!" };

describe("hypervisor/proxmox/session", () => {
  const cleanup = new Cleanup();
  afterEach(() => cleanup.run());

  /** A host that issues tickets 1, 2, 3, … and believes those that `accepts` says. */
  async function start(
    accepts: (ticket: number, arrival: Arrival) => boolean = () => true,
    settings: Partial<DriverOptions> = {},
  ) {
    let issued = 0;
    const host = await startScriptedHost((arrival) => {
      if (arrival.path === "/api2/json/access/ticket") {
        issued += 1;
        return {
          data: { username: "root@pam", ticket: `PVE:root@pam:${issued}`, CSRFPreventionToken: `csrf:${issued}` },
        };
      }
      const ticket = /^PVEAuthCookie=PVE%3Aroot%40pam%3A(\d+)$/.exec(arrival.headers.cookie ?? "")?.[1];
      if (ticket === undefined || !accepts(Number(ticket), arrival)) return UNAUTHORIZED;
      return arrival.method === "GET" ? { data: { version: "9.2.11" } } : { data: UPID };
    });
    cleanup.add(() => host.close());
    const driver = connected(cleanup, passwordOf(host.connection), settings);
    const logins = () => host.arrivals.filter(({ path }) => path.endsWith("/access/ticket")).length;
    return { host, driver, logins };
  }

  it("logs in once and sends the ticket, and the CSRF token with changes only", async () => {
    const { host, driver, logins } = await start();
    await driver.version();
    await driver.power(GUEST, "start");
    const [login, version, power] = host.arrivals;
    assert.deepEqual(login?.form, { username: "root@pam", password: PASSWORD });
    assert.equal(login?.headers.authorization, undefined);
    assert.equal(version?.headers["csrfpreventiontoken"], undefined);
    assert.equal(power?.headers["csrfpreventiontoken"], "csrf:1");
    assert.equal(logins(), 1);
  });

  it("logs in once for many calls at once", async () => {
    const { driver, logins } = await start();
    await Promise.all(Array.from({ length: 30 }, () => driver.version()));
    assert.equal(logins(), 1);
  });

  it("logs in again when the platform no longer accepts the ticket, also for a change, which was not carried out", async () => {
    const { host, driver, logins } = await start((ticket) => ticket >= 2);
    assert.equal(await driver.power(GUEST, "start"), UPID);
    assert.equal(logins(), 2);
    assert.equal(host.arrivals.at(-1)?.headers["csrfpreventiontoken"], "csrf:2");
  });

  it("logs in again once for many calls that are refused together", async () => {
    const { driver, logins } = await start((ticket) => ticket >= 2);
    await Promise.all(Array.from({ length: 10 }, () => driver.version()));
    assert.equal(logins(), 2);
  });

  it("gives up when the new ticket is refused too", async () => {
    const { driver, logins } = await start(() => false);
    await refusal(driver.version(), PlatformReason.AUTHENTICATION, "Authentication failed!");
    assert.equal(logins(), 2);
  });

  it("replaces a ticket before the platform ends it", async () => {
    const time = new HandTime();
    const { driver, logins } = await start(undefined, { ticketMs: 3000, stopwatch: time });
    await driver.version();
    time.move(2999);
    await driver.version();
    assert.equal(logins(), 1);
    time.move(1);
    await driver.version();
    assert.equal(logins(), 2);
  });

  it("tries a refused password once, and not again for a while", async () => {
    const body = { data: null, message: "authentication failure\n" };
    const host = await startScriptedHost(() => ({ status: 401, reason: "authentication failure", body }));
    cleanup.add(() => host.close());
    const time = new HandTime();
    const driver = connected(cleanup, passwordOf(host.connection), { refusedLoginMs: 60, stopwatch: time });
    await Promise.all(
      [1, 2, 3].map(() => refusal(driver.version(), PlatformReason.AUTHENTICATION, "authentication failure")),
    );
    time.move(59);
    await refusal(driver.version(), PlatformReason.AUTHENTICATION);
    assert.equal(host.arrivals.length, 1);
    time.move(1);
    await refusal(driver.version(), PlatformReason.AUTHENTICATION);
    assert.equal(host.arrivals.length, 2);
  });

  it("reports that an account with a second factor needs a token", async () => {
    const data = { ticket: "PVE:!tfa!half", CSRFPreventionToken: "c", NeedTFA: 1 };
    const host = await startScriptedHost(() => ({ data }));
    cleanup.add(() => host.close());
    const driver = connected(cleanup, passwordOf(host.connection));
    await refusal(driver.version(), PlatformReason.AUTHENTICATION, /second factor.*API token/);
  });

  it("never calls a change uncertain whose login got no answer", async () => {
    const host = await startScriptedHost(() => "drop");
    cleanup.add(() => host.close());
    await refusal(connected(cleanup, passwordOf(host.connection)).power(GUEST, "start"), PlatformReason.UNREACHABLE);
  });

  it("shows no secret in its errors, whatever the platform repeats", async () => {
    const host = await startScriptedHost(({ form, headers }) => ({
      status: 500,
      reason: "oops",
      body: { message: `${form["password"] ?? ""} ${String(headers.authorization)}` },
    }));
    cleanup.add(() => host.close());
    const token = host.connection.credential;
    assert.ok(token.kind === "token");
    const connections: [HostConnection, string][] = [
      [passwordOf(host.connection), PASSWORD],
      [host.connection, token.secret],
    ];
    for (const [connection, secret] of connections) {
      const error: unknown = await connected(cleanup, connection)
        .version()
        .catch((rejected: unknown) => rejected);
      assert.ok(!inspect(error, { depth: 10, showHidden: true }).includes(secret), inspect(error));
    }
  });
});

const passwordOf = (connection: HostConnection): HostConnection => ({
  ...connection,
  credential: { kind: "password", password: PASSWORD },
});
