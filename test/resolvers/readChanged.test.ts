// What a mutation has changed is read back through a short outage of the database, and through nothing else.
import assert from "node:assert/strict";
import { readChanged } from "../../resolvers/readChanged.js";

const coded = (code: string): Error => Object.assign(new Error("failed"), { code });

describe("resolvers/readChanged", () => {
  for (const { what, error, reads } of [
    { what: "a lost connection", error: new Error("Connection terminated unexpectedly"), reads: 2 },
    { what: "a standby", error: coded("25006"), reads: 2 },
    { what: "a statement that took too long", error: coded("57014"), reads: 1 },
    { what: "a fault of the program", error: new TypeError("undefined is not a function"), reads: 1 },
  ]) {
    it(`reads ${reads === 1 ? "once" : "again"} after ${what}`, async () => {
      let begun = 0;
      const found = readChanged(() => (++begun === 1 ? Promise.reject(error) : Promise.resolve("found")));
      if (reads === 1) await assert.rejects(found, error);
      else assert.equal(await found, "found");
      assert.equal(begun, reads);
    });
  }
});
