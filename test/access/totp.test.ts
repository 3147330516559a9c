// One-time codes against the examples of RFC 6238, and the keys as apps take them.
import assert from "node:assert/strict";
import { newTotpKey, stepOf } from "../../src/access/totp.js";

/** The RFC's secret for SHA-1, in Base32. */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
/** Seconds since 1970, and the last six digits of the RFC's eight. */
const EXAMPLES = [
  [59, "287082"],
  [1_111_111_109, "081804"],
  [1_111_111_111, "050471"],
  [1_234_567_890, "005924"],
  [2_000_000_000, "279037"],
  [20_000_000_000, "353130"],
] as const;
const at = (seconds: number): Date => new Date(seconds * 1000);

describe("access/totp", () => {
  for (const [seconds, code] of EXAMPLES) {
    it(`takes ${code} at ${seconds} s, and at any moment of the steps beside it`, () => {
      const step = Math.floor(seconds / 30);
      const [first, last] = [(step - 1) * 30, (step + 2) * 30 - 1];
      for (const moment of [seconds, first, last]) assert.equal(stepOf(code, SECRET, at(moment)), step);
      for (const moment of [first - 1, last + 1]) assert.equal(stepOf(code, SECRET, at(moment)), null);
    });
  }

  it("takes nothing that is no such code", () => {
    for (const code of ["", "287083", "87082", "0287082", "28708२", "287 082", "-87082", "2.8e10"])
      assert.equal(stepOf(code, SECRET, at(59)), null, code);
  });

  it("makes a key of 160 bits, another each time, in Base32 and as an address with the service's and the person's name", () => {
    const key = newTotpKey({ issuer: "Drover & Söhne", username: "ann+1@example.org" });
    assert.match(key.secret, /^[A-Z2-7]{32}$/);
    const { protocol, host, pathname, searchParams } = new URL(key.uri);
    assert.deepEqual(
      [protocol, host, decodeURIComponent(pathname)],
      ["otpauth:", "totp", "/Drover & Söhne:ann+1@example.org"],
    );
    assert.deepEqual(Object.fromEntries(searchParams), {
      issuer: "Drover & Söhne",
      secret: key.secret,
      algorithm: "SHA1",
      digits: "6",
      period: "30",
    });
    assert.notEqual(newTotpKey({ issuer: "Drover", username: "ann" }).secret, key.secret);
  });
});
