// Tells a database that cannot serve from everything else that fails, and what callers are told of it.
import assert from "node:assert/strict";
import { databaseRefusal, databaseTrouble, type DatabaseTrouble } from "../../src/db/databaseTrouble.js";
import { PlatformReason, platformError } from "../../src/hypervisor/platformError.js";

const coded = (code: string): Error => Object.assign(new Error("failed"), { code });

describe("databaseTrouble", () => {
  const cases: readonly [string, unknown, DatabaseTrouble | null][] = [
    ["a refused connection", coded("ECONNREFUSED"), "away"],
    ["a server that shuts down", coded("57P01"), "away"],
    ["a driver whose connection ended", new Error("Connection terminated unexpectedly"), "away"],
    ["a connection that took too long to make", new Error("Connection terminated due to connection timeout"), "away"],
    ["what such a failure caused", new Error("a statement failed", { cause: coded("ECONNRESET") }), "away"],
    ["a pool whose connections are all taken", new Error("timeout exceeded when trying to connect"), "full"],
    ["a statement beyond its time", coded("57014"), "tooLong"],
    ["a transaction that was idle for too long", coded("25P03"), "tooLong"],
    ["a server that no longer answers", new Error("Query read timeout"), "tooLong"],
    ["a transaction that another waited for while it waited for the other", coded("40P01"), "crossed"],
    ["a transaction that came too late to be one after the others", coded("40001"), "crossed"],
    ["a standby that does not serve yet", coded("25006"), "unable"],
    ["a full disk", coded("53100"), "unable"],
    ["a server without memory", coded("53200"), "unable"],
    ["a name that cannot be looked up at present", coded("EAI_AGAIN"), "away"],
    ["a single connection that took too long to make", new Error("timeout expired"), "away"],
    ["a violated constraint", coded("23505"), null],
    ["a fault of the program", new TypeError("undefined is not a function"), null],
    ["what is no error", "ECONNREFUSED", null],
    [
      "a host that refuses connections",
      platformError(PlatformReason.UNREACHABLE, "Host is unreachable", coded("ECONNREFUSED")),
      null,
    ],
  ];
  for (const [name, error, expected] of cases) {
    it(`sees ${expected ?? "no trouble"} in ${name}`, () => {
      assert.equal(databaseTrouble(error), expected);
      const refusal = databaseRefusal(error);
      assert.equal(refusal?.kind, expected === null ? undefined : "unavailable");
      assert.equal(refusal?.retryAfterSeconds, expected === null ? undefined : 2);
    });
  }

  it("refuses what refers to something that was removed meanwhile", () => {
    const message = 'insert or update on table "guest" violates foreign key constraint "guest_owner_id_fkey"';
    const refusal = databaseRefusal(Object.assign(new Error(message), { code: "23503" }));
    assert.deepEqual([refusal?.kind, refusal?.reason], ["conflict", "REMOVED_MEANWHILE"]);
  });

  it("sees a fault of the program in a deletion of what is referred to", () => {
    const message = 'update or delete on table "node" violates foreign key constraint "guest_node" on table "guest"';
    assert.equal(databaseRefusal(Object.assign(new Error(message), { code: "23503" })), null);
  });
});
