// Which moments callers may name.
import assert from "node:assert/strict";
import { DateTime } from "../../schema/scalars.js";

const read = (text: unknown): string => {
  const moment = DateTime.parseValue(text);
  return moment.toISOString();
};

describe("schema/scalars", () => {
  const moments: readonly (readonly [string, string])[] = [
    ["2026-03-01T12:00:00Z", "2026-03-01T12:00:00.000Z"],
    ["2026-03-01t12:00:00.5z", "2026-03-01T12:00:00.500Z"],
    ["2026-03-01T01:30:00+02:00", "2026-02-28T23:30:00.000Z"],
    ["2028-02-29T00:00:00Z", "2028-02-29T00:00:00.000Z"],
    ["9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000Z"],
  ];
  for (const [text, moment] of moments) it(`reads ${text}`, () => assert.equal(read(text), moment));

  const others = [
    "2026-02-30T00:00:00Z",
    "2026-02-29T00:00:00Z",
    "2026-04-31T12:00:00+02:00",
    "2026-00-10T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-03-01T24:00:00Z",
    "2026-03-01T12:60:00Z",
    "2026-03-01T12:00:00+24:00",
    "2026-03-01 12:00:00Z",
    "2026-03-01T12:00:00",
    "2026-03-01",
    "9999-12-31T23:59:59-00:01",
    "0000-01-01T00:00:00+00:01",
    "",
    1_772_366_400_000,
    null,
  ];
  for (const value of others) {
    it(`refuses ${JSON.stringify(value)}`, () =>
      assert.throws(() => read(value), /DateTime must be a moment in RFC 3339/));
  }
});
