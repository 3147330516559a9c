// `drover secrets rotate`: what it encrypts again, what it leaves, and what it cannot open.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { secretBox } from "../../../src/access/secretBox.js";
import {
  HOST_SECRET,
  JOB_SECRETS,
  jobSecretsBinding,
  TOKEN_SECRET,
  tokenSecretBinding,
  TOTP_SECRET,
  totpSecretBinding,
} from "../../../src/access/secretPurpose.js";
import { hostSecretBinding } from "../../../src/actions/host/hostConnection.js";
import { JobKind } from "../../../src/core/enums.js";
import { createTestDatabase, type TestDatabase } from "../../support/database.js";
import { plant } from "../../support/rows.js";
import { run, type Ran } from "./run.js";

const key = (): string => randomBytes(32).toString("base64");
const place = (hostname: string) =>
  hostSecretBinding({ hostname, port: 8006, user: "root@pam", tokenId: null, tlsFingerprint: null });
const host = (name: string, sealed: string) => ({ name, hostname: name, secret_encrypted: sealed });

describe("drover secrets rotate", () => {
  const [former, present, foreign] = [key(), key(), key()];
  const formerBox = secretBox(former);
  const presentBox = secretBox(present);
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
    await plant(database.pool, {
      host: [
        host("unbound", formerBox.seal("of unbound", HOST_SECRET)),
        host("bound", formerBox.seal("of bound", HOST_SECRET, place("bound"))),
        host("current", presentBox.seal("of current", HOST_SECRET, place("current"))),
      ],
      job: [{ secrets_encrypted: formerBox.seal("{}", JOB_SECRETS) }],
      temporary_token: [{ secret_encrypted: formerBox.seal("of token", TOKEN_SECRET) }],
      user_account: [{ username: "ann" }],
      totp: [{ user_id: 1, secret_encrypted: formerBox.seal("of codes", TOTP_SECRET, totpSecretBinding(1)) }],
    });
  });
  afterEach(() => database.close());

  const rotate = (): Promise<Ran> =>
    run(["secrets", "rotate"], {
      DATABASE_URL: database.url,
      DROVER_SECRET: present,
      DROVER_SECRET_PREVIOUS: former,
      DROVER_ADMIN_PASSWORD: "chosen password",
    });

  it("encrypts everything with the present key, binds it to its host, and has nothing to do the second time", async () => {
    const first = await rotate();
    assert.deepEqual(first, {
      code: 0,
      errors: "",
      output:
        "hosts: 2 encrypted again, 1 as they should be\njobs: 1 encrypted again, 0 as they should be\ntemporary tokens: 1 encrypted again, 0 as they should be\nkeys of one-time codes: 1 encrypted again, 0 as they should be\n",
    });
    const { rows: hosts } = await database.pool.query<{ name: string; sealed: string }>(
      "select name, secret_encrypted as sealed from host order by id",
    );
    for (const { name, sealed } of hosts) {
      assert.equal(presentBox.open(sealed, HOST_SECRET, place(name)), `of ${name}`);
      assert.throws(() => presentBox.open(sealed, HOST_SECRET, place("elsewhere")));
    }
    const { rows } = await database.pool.query<{ job: string; token: string; codes: string }>(
      `select secrets_encrypted as job, t.secret_encrypted as token, totp.secret_encrypted as codes
        from job, temporary_token t, totp`,
    );
    const { job = "", token = "", codes = "" } = rows[0] ?? {};
    const creation = { kind: JobKind.GUEST_CREATE, hostId: 1 };
    assert.equal(presentBox.open(job, JOB_SECRETS, jobSecretsBinding(creation)), "{}");
    assert.throws(() => presentBox.open(job, JOB_SECRETS, jobSecretsBinding({ ...creation, hostId: 2 })));
    const ofMove = { hostId: 1, user: "root@pam", name: "mig-1" };
    assert.equal(presentBox.open(token, TOKEN_SECRET, tokenSecretBinding(ofMove)), "of token");
    assert.throws(() => presentBox.open(token, TOKEN_SECRET, tokenSecretBinding({ ...ofMove, hostId: 2 })));
    assert.equal(presentBox.open(codes, TOTP_SECRET, totpSecretBinding(1)), "of codes");
    assert.throws(() => presentBox.open(codes, TOTP_SECRET, totpSecretBinding(2)));
    assert.match(
      (await rotate()).output,
      /^hosts: 0 encrypted again, 3 as they should be\njobs: 0 .*\ntemporary tokens: 0 .*\nkeys of one-time codes: 0 /,
    );
  });

  it("names what no key opens, encrypts the rest, and fails", async () => {
    const lost = secretBox(foreign).seal("lost", HOST_SECRET);
    await database.pool.query("update host set secret_encrypted = $1 where name = 'unbound'", [lost]);
    const { code, output, errors } = await rotate();
    assert.equal(code, 1);
    assert.match(output, /^hosts: 1 encrypted again, 1 as they should be, not readable: 1\njobs: 1 encrypted again/);
    assert.equal(errors, "drover: some secrets cannot be opened by any key\n");
    const { rows } = await database.pool.query<{ sealed: string }>(
      "select secret_encrypted as sealed from host where id = 1",
    );
    assert.equal(rows[0]?.sealed, lost);
  });
});
