// Tells a database that is away from everything else that fails.
import assert from "node:assert/strict";
import { isConnectionFailure } from "../../src/access/connectionFailure.js";
import { PlatformReason, platformError } from "../../src/hypervisor/platformError.js";

const coded = (code: string): Error => Object.assign(new Error("failed"), { code });

describe("access/connectionFailure", () => {
  const cases: readonly [string, unknown, boolean][] = [
    ["a refused connection", coded("ECONNREFUSED"), true],
    ["a server that shuts down", coded("57P01"), true],
    ["a driver whose connection ended", new Error("Connection terminated unexpectedly"), true],
    ["what such a failure caused", new Error("a statement failed", { cause: coded("ECONNRESET") }), true],
    ["a violated constraint", coded("23505"), false],
    ["a fault of the program", new TypeError("undefined is not a function"), false],
    ["what is no error", "ECONNREFUSED", false],
    [
      "a host that refuses connections",
      platformError(PlatformReason.UNREACHABLE, "Host is unreachable", coded("ECONNREFUSED")),
      false,
    ],
  ];
  for (const [name, error, expected] of cases) {
    it(`${expected ? "sees it in" : "does not see it in"} ${name}`, () => {
      assert.equal(isConnectionFailure(error), expected);
    });
  }
});
