// Which certificates of a host are believed, and that nothing is sent to a host whose certificate is not.
import assert from "node:assert/strict";
import { PlatformReason } from "../../../src/hypervisor/platformError.js";
import { Cleanup, connected } from "../support/driver.js";
import { refusal } from "../support/rejection.js";
import { startScriptedHost } from "../support/scriptedHost.js";

const VERSION = { data: { version: "8.4.5", release: "8.4", repoid: "abc" } };
const WRONG = Array.from({ length: 32 }, () => "AB").join(":");

describe("hypervisor/proxmox/certificates", () => {
  const cleanup = new Cleanup();
  afterEach(() => cleanup.run());

  it("refuses a wrong certificate before it sends anything, and names the one it saw", async () => {
    const host = await startScriptedHost(() => VERSION);
    cleanup.add(() => host.close());
    const driver = connected(cleanup, { ...host.connection, tlsFingerprint: WRONG });
    const message = await refusal(driver.version(), PlatformReason.UNREACHABLE, host.fingerprint);
    assert.ok(message.includes(WRONG));
    assert.equal(host.arrivals.length, 0);
    assert.equal(host.connections(), 1, "a wrong certificate is not tried again");
  });

  it("refuses a certificate of no trusted authority and reports its fingerprint", async () => {
    const host = await startScriptedHost(() => VERSION);
    cleanup.add(() => host.close());
    const driver = connected(cleanup, { ...host.connection, tlsFingerprint: undefined });
    await refusal(driver.version(), PlatformReason.UNREACHABLE, host.fingerprint);
    assert.equal(host.arrivals.length, 0);
  });

  it("accepts a certificate of a trusted authority, and a fingerprint however it is written", async () => {
    const host = await startScriptedHost(() => VERSION);
    cleanup.add(() => host.close());
    const trusting = connected(
      cleanup,
      { ...host.connection, tlsFingerprint: undefined },
      { trustedAuthorities: [host.certificate] },
    );
    assert.equal((await trusting.version()).version, "8.4.5");
    for (const tlsFingerprint of [host.fingerprint.toLowerCase(), host.fingerprint.replaceAll(":", "")]) {
      const pinned = connected(cleanup, { ...host.connection, tlsFingerprint });
      assert.equal((await pinned.version()).version, "8.4.5");
    }
  });

  it("refuses a certificate of a trusted authority for another name", async () => {
    const host = await startScriptedHost(() => VERSION);
    cleanup.add(() => host.close());
    const connection = { ...host.connection, hostname: "localhost", tlsFingerprint: undefined };
    const driver = connected(cleanup, connection, { trustedAuthorities: [host.certificate] });
    await refusal(driver.version(), PlatformReason.UNREACHABLE, /certificate/);
  });
});
