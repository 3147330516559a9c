// When a host is taken for dead, and when not: it is then answered for at once, until a probe finds it back.
import assert from "node:assert/strict";
import { PlatformReason } from "../../../src/hypervisor/platformError.js";
import { HandTime } from "../../support/handTime.js";
import { Cleanup, connected, scripted } from "../support/driver.js";
import { refusal } from "../support/rejection.js";
import { startScriptedHost, type Play } from "../support/scriptedHost.js";

const VERSION = { data: { version: "8.4.5", release: "8.4", repoid: "abc" } };

const hangsAt =
  (end: string): Play =>
  ({ path }) =>
    path.endsWith(end) ? "hang" : VERSION;

describe("hypervisor/proxmox/client of a host that does not answer", () => {
  const cleanup = new Cleanup();
  afterEach(() => cleanup.run());

  it("answers for a dead host at once and reports since when, until a probe finds it back", async () => {
    const first = await startScriptedHost(() => VERSION);
    await first.close();
    const time = new HandTime();
    const settings = { firstProbeMs: 2000, longestProbeMs: 500, repeatAfterMs: [], stopwatch: time };
    const driver = connected(cleanup, first.connection, settings);
    await refusal(driver.version(), PlatformReason.UNREACHABLE, /ECONNREFUSED/);
    const second = await startScriptedHost(() => VERSION, first.port);
    cleanup.add(() => second.close());
    time.move(1999);
    await refusal(driver.version(), PlatformReason.UNREACHABLE, /unreachable since \d{4}-\d\d-\d\dT.*ECONNREFUSED/);
    assert.equal(second.arrivals.length, 0, "it was not asked");
    time.move(1);
    assert.equal((await driver.version()).version, "8.4.5");
    assert.equal(second.arrivals.length, 1);
  });

  it("lets no storage that hangs hold other calls up, or make the host dead", async () => {
    const time = new HandTime();
    const settings = { callMs: 2000, connections: 1, slowConnections: 2, stopwatch: time };
    const { driver } = await scripted(cleanup, hangsAt("/content"), settings);
    const listings = ["a", "b", "c", "d"].map((storage) =>
      refusal(driver.volumes("pve1", storage), PlatformReason.UNREACHABLE, "no answer within"),
    );
    const ended: unknown[] = [];
    for (const listing of listings) void listing.then(() => ended.push(listing));
    assert.equal((await driver.version()).version, "8.4.5");
    assert.deepEqual(ended, [], "all storages still hang");
    await time.waitsFor(2000, 4);
    time.move(2000);
    await Promise.all(listings);
    assert.equal((await driver.version()).version, "8.4.5");
  });

  it("does not call a host dead that broke off one change", async () => {
    const { driver } = await scripted(cleanup, ({ method }) => (method === "POST" ? "drop" : VERSION));
    await refusal(driver.power({ type: "qemu", node: "pve1", vmid: 100 }, "stop"), PlatformReason.UNCERTAIN);
    assert.equal((await driver.version()).version, "8.4.5");
  });

  it("does not call a host dead that answers other calls meanwhile", async () => {
    const time = new HandTime();
    const { driver } = await scripted(cleanup, hangsAt("/network"), { callMs: 1000, stopwatch: time });
    const slow = refusal(driver.networks("pve1"), PlatformReason.UNREACHABLE);
    await driver.version();
    await time.waitsFor(1000);
    time.move(1000);
    await slow;
    assert.equal((await driver.version()).version, "8.4.5");
  });
});
