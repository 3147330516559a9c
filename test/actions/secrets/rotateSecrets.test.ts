// The rotation of secrets when the database fails under it: it breaks off, and can be repeated.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { secretBox } from "../../../src/access/secretBox.js";
import { HOST_SECRET } from "../../../src/access/secretPurpose.js";
import { rotateSecrets } from "../../../src/actions/secrets/rotateSecrets.js";
import { losingPool } from "../../jobs/killing.js";
import { createTestDatabase, type TestDatabase } from "../../support/database.js";
import { plant } from "../../support/rows.js";

const key = (): string => randomBytes(32).toString("base64");

describe("actions/rotateSecrets", () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.close());

  it("reports a fault of the database as one, and no secret as unreadable for it", async () => {
    const { pool } = database;
    const [former, present] = [key(), key()];
    await plant(pool, { host: [{ secret_encrypted: secretBox(former).seal("of alpha", HOST_SECRET) }] });
    const secrets = secretBox(present, [former]);
    const fault = new Error("the connection is lost");
    const losing = losingPool(pool, { write: 2, moment: "before" }, fault);
    await assert.rejects(rotateSecrets({ pool: losing.pool, secrets }), fault);
    assert.ok(losing.lost());
    const [hosts] = await rotateSecrets({ pool, secrets });
    assert.deepEqual(hosts, { kind: "hosts", current: 0, renewed: 1, unreadable: [] });
  });
});
