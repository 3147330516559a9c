// JSON written as bytes is what JSON.stringify and the figures' own text say, to the byte.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { COUNT, GIB, GIBIBYTES, MEBIBYTES, MILLIONTHS, PERCENT, SHARE, written } from "../../src/core/units.js";
import { JsonBytes } from "../../src/json/jsonBytes.js";

function textOf(write: (bytes: JsonBytes) => void): string {
  const bytes = new JsonBytes();
  write(bytes);
  return Buffer.concat(bytes.pieces()).toString();
}

describe("jsonBytes", () => {
  it("escapes texts as JSON does, halves of pairs included", () => {
    const texts = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), fc.string());
    const halves = fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes));
    fc.assert(
      fc.property(fc.oneof(texts, halves), (text) => {
        assert.equal(`"${textOf((bytes) => bytes.text(text))}"`, JSON.stringify(text));
      }),
    );
  });

  it("writes what is longer than a piece, and what ends where one ends", () => {
    const long = "x".repeat(300_000);
    assert.equal(
      textOf((bytes) => bytes.text(long)),
      long,
    );
    for (const parts of [1, 7, 4_096, 65_535, 65_536, 65_537]) {
      const part = "é".repeat(parts);
      const thrice = textOf((bytes) => {
        for (let time = 0; time < 3; time++) {
          bytes.raw(part);
          bytes.number(COUNT, 12);
        }
      });
      assert.equal(thrice, `${part}12`.repeat(3));
    }
  });

  it("writes millionths as JSON does, however many zeros they end with", () => {
    const exponents = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000];
    for (const millionths of [0, 999_999, ...exponents.flatMap((one) => [one - 1, one, one + 1, 5 * one])]) {
      const value = millionths / 1e6;
      assert.equal(
        textOf((bytes) => bytes.number(MILLIONTHS, value)),
        JSON.stringify(value),
      );
    }
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), (millionths) => {
        assert.equal(
          textOf((bytes) => bytes.number(MILLIONTHS, millionths / 1e6)),
          JSON.stringify(millionths / 1e6),
        );
      }),
    );
  });

  it("writes what is below zero with one sign", () => {
    const said = [-0.0005, -0.005, -0.01, -0.125, -1, -1.0049].map((value) =>
      textOf((bytes) => bytes.number(PERCENT, value)),
    );
    assert.deepEqual(said, ["0", "-0.5", "-1", "-12.5", "-100", "-100.5"]);
  });

  for (const [name, scale, amounts] of [
    ["counts", COUNT, fc.maxSafeInteger()],
    ["MiB", MEBIBYTES, fc.double({ min: -10, max: 1e12, noNaN: true })],
    ["GiB", GIBIBYTES, fc.double({ min: -GIB, max: 1e12 * GIB, noNaN: true })],
    ["shares", SHARE, fc.double({ min: -1, max: 2, noNaN: true })],
    ["percent", PERCENT, fc.double({ min: -1, max: 2, noNaN: true })],
  ] as const) {
    it(`writes ${name} as their text`, () => {
      fc.assert(
        fc.property(amounts, (amount) => {
          assert.equal(
            textOf((bytes) => bytes.number(scale, amount)),
            written(scale, amount),
          );
        }),
      );
    });
  }
});
