// Tests the form of tokens and how they are read from a header.
import assert from "node:assert/strict";
import {
  hashAccessToken,
  hasSessionCookie,
  newAccessToken,
  readBearer,
  readCookies,
} from "../../src/access/accessToken.js";

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

  describe("as a cookie", () => {
    const cookie = newAccessToken("cookie");
    const found = { kind: "cookie", hash: cookie.hash };

    for (const [what, header] of [
      ["alone", `drover_session=${cookie.value}`],
      ["among others", `theme=dark; drover_session=${cookie.value}; lang=en`],
      ["behind one of another form", `drover_session=mine; drover_session=${cookie.value}`],
      ["without a blank between two", `theme=dark;drover_session=${cookie.value}`],
    ] as const) {
      it(`is found ${what}`, () => {
        assert.deepEqual(readCookies(header), [found]);
        assert.equal(hasSessionCookie(header), true);
      });
    }

    for (const [what, header, isThere] of [
      ["no header", undefined, false],
      ["an empty header", "", false],
      ["a cookie whose name only ends alike", `my_drover_session=${cookie.value}`, false],
      ["a cookie whose name only begins alike", `drover_session2=${cookie.value}`, false],
      ["a value that is too short", `drover_session=${cookie.value.slice(0, -1)}`, true],
      ["a value that is too long", `drover_session=${cookie.value}x`, true],
      ["a bearer session's token", `drover_session=${newAccessToken("session").value}`, true],
      ["an API token", `drover_session=${value}`, true],
      ["no value", "drover_session=", true],
    ] as const) {
      it(`holds no session in ${what}`, () => {
        assert.deepEqual(readCookies(header), []);
        assert.equal(hasSessionCookie(header), isThere);
      });
    }

    it("is found beside another of its form, in their order, but not among too many", () => {
      const other = newAccessToken("cookie");
      const pairs = [other, cookie].map(({ value: each }) => `drover_session=${each}`);
      assert.deepEqual(readCookies(pairs.join("; ")), [{ kind: "cookie", hash: other.hash }, found]);
      assert.deepEqual(
        readCookies(
          Array<string>(5)
            .fill(pairs[0] ?? "")
            .join("; "),
        ),
        [],
      );
    });

    it("is no bearer token", () => assert.equal(readBearer(`Bearer ${cookie.value}`), null));
  });
});
