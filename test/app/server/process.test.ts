// The service as a process: what it prints, and what its exit code says.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { MongoStandIn } from "../../support/mongo/standIn.js";
import { createTestDatabase, type TestDatabase } from "../../support/database.js";

const MAIN = fileURLToPath(new URL("../../../app/main.js", import.meta.url));

const PROJECT = fileURLToPath(new URL("../../../..", import.meta.url));

describe("main", () => {
  let database: TestDatabase;
  const children: ChildProcess[] = [];
  before(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
  });
  after(() => database.close());

  const run = (
    environment: NodeJS.ProcessEnv,
    [program = "", ...words]: readonly string[] = [process.execPath, MAIN],
  ): Running => {
    const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
    const env = { PATH, HOME, NODE_COMPILE_CACHE, PORT: "0", ...environment };
    const child = spawn(program, words, { cwd: PROJECT, env });
    children.push(child);
    return watch(child);
  };
  const proper = (): NodeJS.ProcessEnv => ({
    DATABASE_URL: database.url,
    DROVER_SECRET: randomBytes(32).toString("base64"),
  });

  it("names every fault of its environment in one message and exits with 2", async () => {
    const { exit, text } = run({ PORT: "70000", BIND: "here", DATABASE_URL: "mysql://x", LOG_LEVEL: "loud" });
    assert.equal(await exit, 2);
    for (const name of ["PORT", "BIND", "DATABASE_URL", "LOG_LEVEL"]) assert.match(text(), new RegExp(`${name}: `));
  });

  it("exits with 1 and one line when its data directory cannot be made", async () => {
    const { exit, errors } = run({ DROVER_DATA: "/proc/drover" });
    assert.equal(await exit, 1);
    assert.match(errors(), /^drover: The data directory \/proc\/drover cannot be used .*DROVER_DATA.*\n$/);
  });

  it("exits with 2, which ends the restarts of the unit, when the database refuses it", async () => {
    const { exit, errors } = run({ ...proper(), DATABASE_URL: `${database.url}_missing` });
    assert.equal(await exit, 2);
    assert.match(errors(), /^drover: DATABASE_URL: the database cannot be used: .*does not exist\n$/);
  });

  it("exits with 2 when MongoDB refuses the password, and names it and the variable", async () => {
    const mongo = await MongoStandIn.start({ account: { user: "drover", password: "right" } });
    const MONGODB_URI = `mongodb://drover:wrong@127.0.0.1:${mongo.port}/queue?authSource=admin`;
    const { exit, errors } = run({ ...proper(), MONGODB_URI });
    assert.equal(await exit, 2);
    assert.match(
      errors(),
      /^drover: MONGODB_URI: MongoDB cannot be used for the job queue: Authentication failed\.\n$/,
    );
    assert.doesNotMatch(errors(), /wrong/);
    await mongo.close();
  });

  it("shows the first password once, and exits with 0 on SIGTERM", async () => {
    const first = run(proper());
    await first.says(/Sign in as admin with the password \S{20} \(shown only now\)/);
    first.child.kill("SIGTERM");
    assert.equal(await first.exit, 0, first.text());
    const second = run(proper());
    await second.says(/"msg":"ready"/);
    second.child.kill("SIGTERM");
    assert.equal(await second.exit, 0, second.text());
    assert.doesNotMatch(second.text(), /password/);
  });

  it("reports which variables are unknown", async () => {
    const { child, exit, says, text } = run({ ...proper(), DROVER_SYNC_SECOND: "5" });
    await says(/DROVER_SYNC_SECOND is no variable of the service.*DROVER_SYNC_SECONDS/);
    await says(/"msg":"ready"/);
    child.kill("SIGTERM");
    assert.equal(await exit, 0, text());
  });

  it("is what a signal to npm ends, and what its exit code speaks of", async () => {
    const { child, exit, says, text } = run(proper(), ["npm", "start", "--ignore-scripts"]);
    await says(/"msg":"ready"/);
    child.kill("SIGTERM");
    assert.equal(await exit, 0, text());
  });

  it("stops at once when it still waits for a database", async () => {
    const waiting = run({ ...proper(), DATABASE_URL: "postgres://nobody:x@127.0.0.1:9/none" });
    await waiting.says(/waiting for the database/);
    waiting.child.kill("SIGINT");
    assert.equal(await waiting.exit, 0);
  });
});

interface Running {
  readonly child: ChildProcess;
  readonly exit: Promise<number | null>;
  readonly text: () => string;
  readonly errors: () => string;
  readonly says: (pattern: RegExp) => Promise<void>;
}

function watch(child: ChildProcess): Running {
  let text = "";
  let errors = "";
  child.stdout?.on("data", (part: Buffer) => (text += part.toString()));
  child.stderr?.on("data", (part: Buffer) => {
    text += part.toString();
    errors += part.toString();
  });
  const exit = once(child, "close").then(() => child.exitCode);
  const says = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(text)) {
      const gone = await Promise.race([exit.then(() => true), once(child.stdout ?? child, "data").then(() => false)]);
      assert.ok(!gone || pattern.test(text), `it ended without saying ${String(pattern)}: ${text}`);
    }
  };
  return { child, exit, text: () => text, errors: () => errors, says };
}
