// The ledger of short-lived tokens: a job finds its own tokens alone, and uses the latest that it still has.
import assert from "node:assert/strict";
import * as temporaryTokens from "../../src/store/temporaryToken.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { fromNow, plant, type Given } from "../support/rows.js";

const token = (name: string, given: Given<"temporary_token"> = {}): Given<"temporary_token"> => ({
  job_id: 1,
  token_name: name,
  expires_at: fromNow(3600),
  ...given,
});

describe("store/temporaryToken", () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
    await plant(database.pool, {
      host: [{}],
      job: [{}, {}],
      temporary_token: [
        token("first", { secret_encrypted: "one" }),
        token("second", { secret_encrypted: "two", created_at: fromNow(-90) }),
        token("removed", { removed_at: fromNow(0) }),
        token("asked for"),
        token("asked for long ago", { created_at: fromNow(-90) }),
        token("another's", { job_id: 2, secret_encrypted: "four" }),
      ],
    });
  });
  afterEach(() => database.close());

  it("gives a job the latest of its tokens that has a secret", async () => {
    const { name, sealed } = (await temporaryTokens.secretOfJob(database.pool, 1)) ?? {};
    assert.deepEqual({ name, sealed }, { name: "second", sealed: "two" });
    assert.equal(await temporaryTokens.secretOfJob(database.pool, 3), null);
  });

  it("lists what a job has to remove, and which of these can no longer be on their way", async () => {
    const rows = await temporaryTokens.ofJob(database.pool, 1);
    assert.deepEqual(
      rows.map(({ name, isSettled }) => [name, isSettled]),
      [
        ["first", true],
        ["second", true],
        ["asked for", false],
        ["asked for long ago", true],
      ],
    );
  });

  it("names all tokens that a job has had, with their user", async () => {
    const names = ["first", "second", "removed", "asked for", "asked for long ago"];
    const users = await temporaryTokens.usersOfJob(database.pool, 1);
    assert.deepEqual([...users].toSorted(), names.map((name) => `root@pam!${name}`).toSorted());
  });
});
