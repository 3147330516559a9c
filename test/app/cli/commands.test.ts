// The operator's command line on a database: what it answers, and what its exit code says.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { hashAccessToken } from "../../../src/access/accessToken.js";
import { verifyPassword } from "../../../src/access/password.js";
import { borrowEmbeddedPostgres, embeddedServerPid } from "../../../src/db/embedded.js";
import { createTestDatabase, type TestDatabase } from "../../support/database.js";
import { silentLog } from "../../support/log.js";
import { run, runHere, type Ran } from "./run.js";

const ONE_LINE = /^drover: [^\n]+\n$/;

describe("cli/commands", () => {
  let database: TestDatabase;
  let environment: NodeJS.ProcessEnv;
  before(async () => {
    database = await createTestDatabase();
    environment = {
      DATABASE_URL: database.url,
      DROVER_SECRET: randomBytes(32).toString("base64"),
      DROVER_ADMIN_PASSWORD: "chosen password",
      DROVER_PRIVATE_HOSTS: "127.0.0.1",
    };
    await database.pool.query(`
      insert into host (name, hostname, user_name, secret_encrypted, active) values
        ('alpha', '10.0.0.1', 'root@pam', 'x', true), ('beta', '10.0.0.2', 'root@pam', 'x', false);
      insert into node (host_id, name) values (1, 'pve1')`);
  });
  after(() => database.close());

  const drover = (...given: string[]): Promise<Ran> => runHere(given, environment);
  const done = async (...given: string[]): Promise<string> => {
    const { code, output, errors } = await drover(...given);
    assert.deepEqual({ code, errors }, { code: 0, errors: "" });
    return output;
  };

  it("makes a token, lists it without its value, and revokes it", async () => {
    const made: unknown = JSON.parse(
      await done(
        ...(
          "token create --name billing --allow 10.0.0.0/8 --allow ::1 --scope 1 --rate-limit 60 " +
          "--permission hosts.manage --expires 2100-01-01 --json"
        ).split(" "),
      ),
    );
    assert.ok(typeof made === "object" && made !== null && "value" in made && typeof made.value === "string");
    const { rows } = await database.pool.query(
      "select name, allowed_ips, rate_limit, connection_scope, permissions from api_token where token_hash = $1",
      [hashAccessToken(made.value)],
    );
    assert.deepEqual(rows, [
      {
        name: "billing",
        allowed_ips: "10.0.0.0/8\n::1",
        rate_limit: 60,
        connection_scope: [1],
        permissions: ["hosts.manage"],
      },
    ]);
    const listed = await done("token", "list");
    assert.match(listed, /^id +name +prefix[^\n]+\n1 +billing +drv_\S{6} +active/);
    assert.ok(!listed.includes(made.value));
    assert.match(await done("token", "revoke", "1"), /revoked/);
    assert.match(await done("token", "list", "--json"), /"status": "revoked"/);
  });

  it("prints what a host sent without its terminal escapes", async () => {
    await database.pool.query("update host set last_sync_error = $1 where id = 2", ["\u001b[2J\u009b31mgone"]);
    const listed = await done("host", "list");
    const asJson = await done("host", "list", "--json");
    await database.pool.query("update host set last_sync_error = null where id = 2");
    assert.ok(listed.includes("\\u{1b}[2J\\u{9b}31mgone"));
    assert.doesNotMatch(listed + asJson, /[^\P{Cc}\n]/u);
    assert.match(asJson, /"lastSyncError": "\\u001b\[2J\\u009b31mgone"/);
  });

  it("makes the token of an agent", async () => {
    const output = await done("agent-token", "create", "--host", "1", "--node", "pve1");
    const [value] = /dra_\S+/.exec(output) ?? [];
    const { rows } = await database.pool.query("select node_id from agent where token_hash = $1", [
      hashAccessToken(value ?? ""),
    ]);
    assert.deepEqual(rows, [{ node_id: 1 }]);
  });

  it("makes a user with a password that lets in", async () => {
    const output = await done("user", "create", "--email", "op@example.com", "--username", "op", "--role", "operator");
    const { rows } = await database.pool.query<{ role: string; hash: string }>(
      "select role, password_hash as hash from user_account where username = 'op'",
    );
    assert.equal(rows[0]?.role, "operator");
    assert.equal(await verifyPassword(output.trim().split("\n").at(-1) ?? "", rows[0]?.hash ?? null), true);
  });

  it("changes, disables and enables a user, found by login name or id", async () => {
    await done("user", "create", "--email", "ed@example.com", "--username", "ed", "--user-id", "7");
    const id = z.array(z.looseObject({ id: z.number(), username: z.string() }));
    const named = async (name: string) =>
      id.parse(JSON.parse(await done("user", "list", "--json"))).find(({ username }) => username === name);
    const found = await named("ed");
    assert.match(await done("user", "edit", "ED", "--email", "ed@new.example", "--role", "reseller"), /is changed/);
    assert.match(await done("user", "disable", String(found?.id)), /is disabled/);
    assert.deepEqual(
      { ...(await named("ed")), createdAt: null },
      { ...found, email: "ed@new.example", role: "RESELLER", enabled: false, createdAt: null },
    );
    assert.match(
      await done("user", "list", "--role", "reseller"),
      /^id +username[^\n]+\n\d+ +ed +ed@new\.example +RESELLER +7 +false/,
    );
    assert.match(await done("user", "enable", "ed"), /is enabled/);
    await done("user", "edit", "ed", "--user-id", "");
    assert.deepEqual([(await named("ed"))?.["enabled"], (await named("ed"))?.["userId"]], [true, null]);
    const first = (await named("admin"))?.id;
    await done("user", "edit", "ed", "--username", String(first));
    const either = await drover("user", "disable", String(first));
    assert.deepEqual([either.code, either.output], [1, ""]);
    assert.match(either.errors, /is the login name of user \d+, and the id of /);
    await done("user", "edit", String(found?.id), "--username", "ed");
    const unknown = await drover("user", "disable", "nobody");
    assert.deepEqual([unknown.code, unknown.errors], [1, "drover: User nobody not found\n"]);
  });

  it("lets even the admin in again that it acts as, and ends what is open", async () => {
    await database.pool.query(
      `insert into session (token_hash, user_id, expires_at) select 'open', id, now() + interval '1 h' from user_account where username = 'admin'`,
    );
    const output = await done("user", "reset-password", "admin");
    const { rows } = await database.pool.query<{ hash: string }>(
      "select password_hash as hash from user_account where username = 'admin'",
    );
    assert.equal(await verifyPassword(output.trim().split("\n").at(-1) ?? "", rows[0]?.hash ?? null), true);
    assert.equal((await database.pool.query("select from session")).rowCount, 0);
    await database.pool.query(
      `insert into session (token_hash, user_id, expires_at) select 'open', id, now() + interval '1 h' from user_account where username = 'op'`,
    );
    assert.match(await done("user", "sign-out", "op"), /signed out; sessions ended: 1/);
    await database.pool.query(
      `insert into session (token_hash, user_id, expires_at) select username, id, now() + interval '1 h' from user_account`,
    );
    assert.match(await done("user", "sign-out", "--all"), /^Everybody is signed out; sessions ended: \d+/);
    assert.equal((await database.pool.query("select from session")).rowCount, 0);
    for (const given of [["sign-out"], ["sign-out", "op", "--all"]])
      assert.deepEqual(await drover("user", ...given), {
        code: 2,
        output: "",
        errors: "drover: user: give one, or --all\n",
      });
    const refused = await drover("user", "disable", "admin");
    assert.deepEqual([refused.code, refused.output], [1, ""]);
    assert.match(refused.errors, /last admin/);
    // With another admin, that one goes too, and the next command acts as the other.
    await done("user", "create", "--email", "second@example.com", "--username", "second", "--role", "admin");
    assert.match(await done("user", "disable", "admin"), /^User \d+ \(admin\) is disabled/);
    assert.match(await done("user", "enable", "admin"), /is enabled/);
    await done("user", "edit", "second", "--role", "customer");
  });

  it("lists hosts without their secrets", async () => {
    const output = await done("host", "list", "--json");
    const hosts: unknown = JSON.parse(output);
    assert.ok(Array.isArray(hosts));
    assert.deepEqual(
      hosts.map(({ id, name, active }: { id: number; name: string; active: boolean }) => [id, name, active]),
      [
        [1, "alpha", true],
        [2, "beta", false],
      ],
    );
    assert.doesNotMatch(output, /secret/i);
  });

  it("ends its process with the exit code, and leaves nothing open that keeps it alive", async () => {
    const listed = await run(["host", "list"], environment);
    assert.deepEqual([listed.code, listed.errors], [0, ""]);
    assert.match(listed.output, /alpha/);
    const refused = await run(["token", "revoke", "77"], environment);
    assert.deepEqual([refused.code, refused.output], [1, ""]);
    assert.match(refused.errors, ONE_LINE);
  });

  const failing: readonly (readonly [what: string, given: string[], code: number, says: RegExp])[] = [
    ["a token that is not there", ["token", "revoke", "77"], 1, /77 not found/],
    ["a host whose secret was sealed with another key", ["host", "test", "2"], 1, /stored secret/],
    [
      "an agent token for an unknown node",
      ["agent-token", "create", "--host", "1", "--node", "no"],
      1,
      /node no of host 1/i,
    ],
    ["a scope of unknown hosts", ["token", "create", "--name", "x", "--scope", "9"], 2, /no such host: 9/],
    ["a bad e-mail address", ["user", "create", "--email", "x", "--username", "y"], 2, /email/],
    [
      "a host that does not answer",
      "host add --name c --hostname 127.0.0.1 --port 9 --user root@pam --token-id panel --token-secret secret-value --allow-unrestricted-move-token".split(
        " ",
      ),
      1,
      /127\.0\.0\.1:9/,
    ],
  ];
  for (const [what, given, code, says] of failing) {
    it(`exits with ${code} and one line for ${what}`, async () => {
      const ran = await drover(...given);
      assert.equal(ran.code, code);
      assert.match(ran.errors, ONE_LINE);
      assert.match(ran.errors, says);
      assert.doesNotMatch(ran.errors, /secret-value/);
      assert.equal(ran.output, "");
    });
  }

  it("works on the embedded database while no service runs, and leaves none running", async () => {
    const directory = await mkdtemp(join(tmpdir(), `drover-test-${process.pid}-`));
    try {
      const made = await borrowEmbeddedPostgres({ dataDirectory: directory, port: 0, log: silentLog, durable: false });
      await made.stop();
      const first = await runHere(["migrate-db"], { DROVER_DATA: directory });
      assert.match(first.output, /^Applied: 0001-access/);
      const second = await run(["migrate-db"], { DROVER_DATA: directory });
      assert.deepEqual([second.code, second.output], [0, "The database is up to date.\n"]);
      assert.equal(await embeddedServerPid(directory, silentLog), null);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});
