// Watches a transfer of a scripted host: its log as it grows, the task that receives the guest, and how it ends.
import assert from "node:assert/strict";
import { PlatformReason } from "../../../../src/hypervisor/platformError.js";
import { Cleanup, scripted } from "../../support/driver.js";
import { refusal } from "../../support/rejection.js";
import type { Play } from "../../support/scriptedHost.js";

const UPID = "UPID:pve1:0003A1B2:01C2D3E4:6740A1B2:qmigrate:100:root@pam!panel:";
const TUNNEL = "UPID:pveb:0003A1B2:01C2D3E4:6740A1B2:qmtunnel:300:root@pam!mig-1:";
const QUESTION = { volumes: new Map([["local:100/vm-100-disk-0.raw", 1000]]), total: 2000 };

const LOG = [
  `2026-01-01 00:00:00 remote: started tunnel worker '${TUNNEL}'`,
  "500 bytes (500 B) copied, 1 s, 500 B/s",
  "2026-01-01 00:00:02 volume 'local:100/vm-100-disk-0.raw' is 'tank:vm-300-disk-0' on the target",
];

/** A task whose log has so many lines at each look, and that ends so at the last. */
const growing =
  (counts: readonly number[], exitstatus: string, log = LOG): Play =>
  ({ path, query }) => {
    if (path.endsWith("/status")) looks++;
    const isLast = looks >= counts.length;
    if (path.endsWith("/status")) return { data: isLast ? { status: "stopped", exitstatus } : { status: "running" } };
    const shown = log.slice(0, counts[looks - 1]);
    return { data: shown.map((t, index) => ({ n: index + 1, t })).slice(Number(query["start"] ?? 0)) };
  };
let looks = 0;

describe("hypervisor/proxmox/transfer/watch", () => {
  const cleanup = new Cleanup();
  beforeEach(() => {
    looks = 0;
  });
  afterEach(() => cleanup.run());

  it("reports how far it is, what its log shows beside, who receives the guest, and how it ended", async () => {
    const { driver } = await scripted(cleanup, growing([0, 2, 2, 3], "OK"));
    const watch = driver.watchTransfer(UPID, QUESTION);
    const none = { log: [], hasGrown: false, copied: null, receivedBy: null, end: null };
    assert.deepEqual(await watch.look(), none);
    const halfway = { log: LOG.slice(0, 1), copied: 500, receivedBy: TUNNEL, end: null };
    assert.deepEqual(await watch.look(), { ...halfway, hasGrown: true });
    assert.deepEqual(await watch.look(), { ...halfway, hasGrown: false });
    const { copied, log, end } = await watch.look();
    assert.deepEqual([copied, log], [1000, [LOG[0], LOG[2]]]);
    assert.deepEqual(end, { succeeded: true, isKnown: true, reason: "OK", failure: null });
  });

  it("never goes back, though the file that was copied is larger than its volume", async () => {
    const log = LOG.map((line) => line.replace(/^500 bytes/, "1400 bytes"));
    const { driver } = await scripted(cleanup, growing([2, 3], "OK", log));
    const watch = driver.watchTransfer(UPID, QUESTION);
    assert.equal((await watch.look()).copied, 1400);
    assert.equal((await watch.look()).copied, 1400);
  });

  it("is over, for reasons unknown, when the host has forgotten it", async () => {
    const gone = { status: 500, reason: "no such task" };
    const { driver } = await scripted(cleanup, () => gone);
    const { end } = await driver.watchTransfer(UPID, QUESTION).look();
    const reason = "the platform no longer knows the transfer";
    assert.deepEqual(end, { succeeded: false, isKnown: false, reason, failure: null });
  });

  it("is followed without its log, and not without its state", async () => {
    const refused = { status: 403, reason: "Permission check failed" };
    const { driver } = await scripted(cleanup, ({ path }) =>
      path.endsWith("/log") ? refused : { data: { status: "stopped", exitstatus: "migration aborted" } },
    );
    const { end } = await driver.watchTransfer(UPID, QUESTION).look();
    assert.deepEqual(end, {
      succeeded: false,
      isKnown: true,
      reason: "migration aborted",
      failure: PlatformReason.REFUSED,
    });
    const shut = await scripted(cleanup, () => refused);
    await refusal(shut.driver.watchTransfer(UPID, QUESTION).look(), PlatformReason.FORBIDDEN);
  });
});
