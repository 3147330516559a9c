// Tests the form of bearer tokens and how they are read from a header.
import assert from "node:assert/strict";
import { hashAccessToken, newAccessToken, readBearer } from "../../src/access/accessToken.js";

describe("access/accessToken", () => {
  for (const [kind, prefix] of [
    ["apiToken", "drv_"],
    ["session", "drs_"],
    ["agent", "dra_"],
  ] as const) {
    it(`makes and reads back a token of kind ${kind}`, () => {
      const token = newAccessToken(kind);
      assert.match(token.value, new RegExp(`^${prefix}[A-Za-z0-9_-]{43}$`));
      assert.equal(token.prefix, token.value.slice(0, 10));
      assert.equal(token.hash, hashAccessToken(token.value));
      assert.ok(!token.hash.includes(token.value.slice(4)));
      assert.deepEqual(readBearer(`Bearer ${token.value}`), { kind, hash: token.hash });
    });
  }

  it("takes the scheme in any case", () => {
    const { value, hash } = newAccessToken("apiToken");
    for (const scheme of ["bearer", "BEARER", "bEaReR"]) assert.equal(readBearer(`${scheme} ${value}`)?.hash, hash);
  });

  it("never makes the same token twice", () => {
    const values = new Set(Array.from({ length: 100 }, () => newAccessToken("apiToken").value));
    assert.equal(values.size, 100);
  });

  const { value } = newAccessToken("apiToken");
  for (const [what, header] of [
    ["no header", undefined],
    ["an empty header", ""],
    ["no scheme", value],
    ["another scheme", `Basic ${value}`],
    ["no token", "Bearer "],
    ["a token that is too short", `Bearer ${value.slice(0, -1)}`],
    ["a token that is too long", `Bearer ${value}x`],
    ["an unknown prefix", `Bearer drx_${value.slice(4)}`],
    ["a prefix in upper case", `Bearer DRV_${value.slice(4)}`],
    ["two tokens", `Bearer ${value}, Bearer ${value}`],
    ["a null byte", `Bearer ${value.slice(0, -1)}\u0000`],
  ] as const) {
    it(`finds no token in ${what}`, () => assert.equal(readBearer(header), null));
  }
});
