// Checks that addresses, networks and ranges survive the way from text to numbers and back.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { formatAddress, parseAddress, parseNetwork, parseRange } from "../../../src/core/addressing/address.js";

describe("core/addressing/address", () => {
  for (const [text, family, value] of [
    ["0.0.0.0", 4, 0n],
    ["10.0.0.5", 4, 167_772_165n],
    ["255.255.255.255", 4, 4_294_967_295n],
    ["::", 6, 0n],
    ["::1", 6, 1n],
    ["2001:db8::5", 6, 0x20010db8000000000000000000000005n],
  ] as const) {
    it(`reads and writes ${text}`, () => {
      assert.deepEqual(parseAddress(text), { family, value });
      assert.equal(formatAddress({ family, value }), text);
    });
  }

  it("takes a mapped address as IPv4", () =>
    assert.deepEqual(parseAddress("::ffff:0.0.0.7"), { family: 4, value: 7n }));

  for (const text of ["", "10.0.0", "010.0.0.1", "10.0.0.256", "0x1.1.1.1", "fe80::1%eth0", ":", "10.0.0.1/24"]) {
    it(`takes ${JSON.stringify(text)} for no address`, () => assert.equal(parseAddress(text), null));
  }

  it("every address survives", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 32n - 1n), (value) => {
        assert.deepEqual(parseAddress(formatAddress({ family: 4, value })), { family: 4, value });
      }),
    );
    fc.assert(
      fc.property(fc.bigInt(2n ** 120n, 2n ** 128n - 1n), (value) => {
        assert.deepEqual(parseAddress(formatAddress({ family: 6, value })), { family: 6, value });
      }),
    );
  });

  for (const [text, first, last] of [
    ["10.0.0.77/24", "10.0.0.0", "10.0.0.255"],
    ["10.0.0.1/32", "10.0.0.1", "10.0.0.1"],
    ["0.0.0.0/0", "0.0.0.0", "255.255.255.255"],
    ["2001:db8::7/64", "2001:db8::", "2001:db8::ffff:ffff:ffff:ffff"],
  ] as const) {
    it(`${text} is ${first} to ${last}`, () => {
      const network = parseNetwork(text);
      assert.ok(network);
      assert.equal(formatAddress({ family: network.family, value: network.first }), first);
      assert.equal(formatAddress({ family: network.family, value: network.last }), last);
    });
  }
  for (const text of ["10.0.0.0", "10.0.0.0/33", "10.0.0.0/", "::/129", "x/8", "10.0.0.0/8/8", "10.0.0.0/+8"]) {
    it(`takes ${text} for no network`, () => assert.equal(parseNetwork(text), null));
  }

  for (const [text, count] of [
    ["10.0.0.5", 1n],
    ["10.0.0.5-10.0.0.9", 5n],
    ["10.0.0.5 - 10.0.0.5", 1n],
    ["10.0.0.0/30", 4n],
    ["2001:db8::/120", 256n],
  ] as const) {
    it(`${text} are ${count} addresses`, () => {
      const range = parseRange(text);
      assert.equal(range && range.last - range.first + 1n, count);
    });
  }
  for (const text of ["", "10.0.0.9-10.0.0.5", "10.0.0.5-", "10.0.0.5-::1", "a-b"]) {
    it(`takes ${JSON.stringify(text)} for no range`, () => assert.equal(parseRange(text), null));
  }
});
