// What a reader of the log and a holder of the database find of the secrets that the service was given, or has given out: nothing.
import assert from "node:assert/strict";
import { createTestDatabase, type TestDatabase } from "../../support/database.js";
import { connectionOf, SECRET } from "../../inventory/support/site.js";
import type { RunningHost } from "../../../simulator/host.js";
import { client, type ApiClient } from "./support/client.js";
import { createContainer } from "./support/creation.js";
import {
  furnish,
  letThemEnd,
  startHosts,
  startMoves,
  untilCopying,
  untilSettled,
  type MovingSite,
} from "./support/moves.js";
import { apiClient, firstPassword, Processes, type ServiceProcess } from "./support/processes.js";

/** Of the container that `createContainer` asks for. */
const GUEST_PASSWORD = "Init-Pass1";
const WRONG = { password: "wrong-password-4711", secret: "wrong-secret-4711" };
/** Of sessions, of the API and of agents. */
const OWN_TOKEN = /dr[sva]_[\w-]{43}/;

const ADD = `mutation ($hostname: String!, $port: Int!, $secret: String!, $tlsFingerprint: String) {
  addHost(
    name: "other", hostname: $hostname, port: $port, user: "root@pam", tokenId: "panel", tokenSecret: $secret,
    tlsFingerprint: $tlsFingerprint
  ) { id }
}`;

describe("secrets", function () {
  this.timeout(300_000);
  let database: TestDatabase;
  let processes: Processes;
  let service: ServiceProcess;
  let hosts: [RunningHost, RunningHost];
  let site: MovingSite;
  let api: ApiClient;
  let person: string;
  /** Everything that the service knows while its work is under way. */
  let secrets: readonly string[];

  before(async () => {
    database = await createTestDatabase();
    processes = new Processes({ DATABASE_URL: database.url, LOG_LEVEL: "trace" });
    [hosts, service] = await Promise.all([startHosts(), processes.start()]);
    api = await apiClient(service);
    site = await furnish(api, service.url, hosts);
    person = await createUser(api, "anna");
    await signIn(service.url, person);
    await makeMistakes(api, service.url, hosts[0]);
    await startMoves(api, site);
    await createContainer(api, site.sourceId, 150);
    await untilCopying(database);
    secrets = [SECRET, GUEST_PASSWORD, person, ...Object.values(WRONG), ...temporarySecrets(hosts[1])];
  });
  after(async () => {
    await site.close();
    await processes.end();
    await Promise.all(hosts.map((host) => host.close()));
    await database.close();
  });

  it("are in no row of the database while they are needed, as they are or in another writing", async () => {
    const rows = await everyRow(database);
    assert.ok(
      rows.some(({ text }) => text.includes("box150.example.com")),
      "the rows are read",
    );
    for (const { table, text } of rows)
      assert.ok(!secrets.flatMap(writings).some((each) => text.includes(each)) && !OWN_TOKEN.test(text), table);
  });

  it("are in no line of the log, which shows the first password once, at a first start", async () => {
    await letThemEnd(site);
    await untilSettled(database);
    await failToStore(database, [
      () => api.graphql('mutation { createApiToken(input: { name: "more", permissions: [] }) { value } }'),
      () => createContainer(api, site.sourceId, 151),
      () => signIn(service.url, person),
      () => createUser(api, "bert"),
    ]);
    const first = firstPassword(service);
    assert.ok(first !== null);
    const log = service.program.output();
    assert.ok(log.split("refuses_all").length > STORING.length, "the log says why nothing was stored");
    assert.equal(log.split(first).length - 1, 1);
    for (const secret of secrets.flatMap(writings)) assert.ok(!log.includes(secret), secret);
    assert.doesNotMatch(log, OWN_TOKEN);
  });
});

/** @returns the password of the person who has been made */
async function createUser(api: ApiClient, username: string): Promise<string> {
  const { createUser: made } = await api.graphql<{ createUser: { password: string } }>(
    "mutation ($username: String!, $email: String!) { createUser(username: $username, email: $email) { password } }",
    { username, email: `${username}@example.com` },
  );
  return made.password;
}

const signIn = (url: string, password: string): Promise<unknown> =>
  client(url, null).graphql(
    'mutation ($password: String!) { login(username: "anna", password: $password) { token } }',
    { password },
  );

/** Sends secrets that do not hold: a fault is what tends to be told with all that belongs to it. */
async function makeMistakes(api: ApiClient, url: string, host: RunningHost): Promise<void> {
  const { hostname, port, tlsFingerprint } = connectionOf(host);
  await assert.rejects(signIn(url, WRONG.password), /UNAUTHENTICATED/);
  const given = { hostname, port, tlsFingerprint, secret: WRONG.secret };
  await assert.rejects(api.graphql(ADD, given), /refuses the credential/);
  await assert.rejects(api.graphql(`{ host(id: "${WRONG.secret}") { id } }`), /VALIDATION_FAILED/);
}

/** Where secrets are stored, in one writing or another. */
const STORING = ["api_token", "job", "session", "user_account"];

/** Has the database refuse every new row: its words, with all that was to be stored, are what the service then logs. */
async function failToStore({ pool }: TestDatabase, attempts: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const table of STORING)
    await pool.query(`alter table ${table} add constraint refuses_all check (false) not valid`);
  for (const attempt of attempts) await assert.rejects(attempt, /INTERNAL|internal error/i);
}

/** Of the tokens by which guests are moved to the host right now. */
function temporarySecrets({ platform }: RunningHost): string[] {
  const tokens = [...platform.state.access.users.values()].flatMap((user) => [...user.tokens]);
  const secrets = tokens.filter(([name]) => name !== "panel").map(([, { secret }]) => secret);
  assert.ok(secrets.length > 0);
  return secrets;
}

const writings = (secret: string): string[] => [
  secret,
  Buffer.from(secret).toString("base64").replace(/=+$/, ""),
  Buffer.from(secret).toString("hex"),
];

/** Each row of each table as one text. */
async function everyRow({ pool }: TestDatabase): Promise<{ table: string; text: string }[]> {
  const { rows: tables } = await pool.query<{ name: string }>(
    "select quote_ident(relname) as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace",
  );
  const reading = tables.map(({ name }) => `select '${name}' as "table", each::text as text from ${name} each`);
  return (await pool.query<{ table: string; text: string }>(reading.join(" union all "))).rows;
}
