// Tests the decoding of forms and queries against pveproxy's habits.
import assert from "node:assert/strict";
import { decodeUrlEncoded, unescapePercent } from "../../../simulator/transport/urlEncoding.js";

const forms: [text: string, decoded: Record<string, unknown>][] = [
  ["", {}],
  ["a=1&b=2", { a: "1", b: "2" }],
  ["a=1;b=2", { a: "1", b: "2" }],
  ["a=&b", { a: "", b: "" }],
  ["a=x+y%2B", { a: "x y+" }],
  ["a=1=2", { a: "1" }],
  ["a=1%3D2", { a: "1=2" }],
  ["a=1&a=2&a=3", { a: ["1", "2", "3"] }],
  ["name=%C3%BC", { name: "ü" }],
  ["a=100%", { a: "100%" }],
  ["a=%zz", { a: "%zz" }],
];

describe("form decoding", () => {
  for (const [text, decoded] of forms) {
    it(`reads ${JSON.stringify(text)}`, () => {
      assert.deepEqual(decodeUrlEncoded(text), decoded);
    });
  }

  it("leaves a plus alone outside forms", () => {
    assert.equal(unescapePercent("a+b%20c"), "a+b c");
  });
});
