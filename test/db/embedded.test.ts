// The embedded PostgreSQL: started, shared, killed, taken over, started again.
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { Client } from "pg";
import {
  borrowEmbeddedPostgres,
  embeddedServerPid,
  eraseEmbeddedPostgres,
  startEmbeddedPostgres,
  type EmbeddedOptions,
  type EmbeddedPostgres,
} from "../../src/db/embedded.js";
import { waitForDatabase } from "../../src/db/wait.js";
import { silentLog } from "../support/log.js";

describe("db/embedded", () => {
  let directory: string;
  let options: EmbeddedOptions;
  const opened: EmbeddedPostgres[] = [];

  // One cluster for all of them: making one is what takes the time.
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), `drover-test-${process.pid}-`));
    options = { dataDirectory: directory, port: 0, log: silentLog, settings: { fsync: "off" }, durable: false };
  });
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.stop();
  });
  after(async () => {
    await eraseEmbeddedPostgres(directory, silentLog);
    await rm(directory, { recursive: true, force: true });
  });

  const started = async (changed: Partial<EmbeddedOptions> = {}): Promise<EmbeddedPostgres> => {
    const server = await startEmbeddedPostgres({ ...options, ...changed });
    opened.push(server);
    return server;
  };
  const ended = async (server: EmbeddedPostgres): Promise<void> => {
    opened.splice(opened.indexOf(server), 1);
    await server.stop();
  };
  const pid = async (): Promise<number> => {
    const found = await embeddedServerPid(directory, silentLog);
    assert.ok(found !== null, "the server runs");
    return found;
  };
  it("listens on loopback only, requires its password, and keeps it to itself", async () => {
    const { url } = await started();
    assert.equal(new URL(url).hostname, "127.0.0.1");
    assert.deepEqual(await query(url, "show listen_addresses"), [{ listen_addresses: "127.0.0.1" }]);
    assert.equal((await stat(join(directory, "postgres.password"))).mode & 0o777, 0o600);
    assert.equal((await stat(join(directory, "postgres"))).mode & 0o777, 0o700);
    const wrong = new URL(url);
    wrong.password = "wrong";
    await assert.rejects(query(wrong.href, "select 1"), { code: "28P01" });
  });

  it("does not run as root", async () => {
    await started();
    const [line] = /^Uid:\s+(\d+)/m.exec(await readFile(`/proc/${await pid()}/status`, "utf8"))?.slice(1) ?? [];
    assert.notEqual(line, "0");
  });

  it("keeps data from one start to the next", async () => {
    const first = await started();
    await query(first.url, "create table kept (n integer)");
    await ended(first);
    assert.equal(await embeddedServerPid(directory, silentLog), null);
    const second = await started();
    assert.deepEqual(await query(second.url, "select count(*)::int as n from kept"), [{ n: 0 }]);
  });

  it("takes the port that is asked for, also from a server that has another", async () => {
    const borrowed = await borrowEmbeddedPostgres(options);
    opened.push(borrowed);
    const port = await freePort();
    const { url } = await started({ port });
    assert.equal(new URL(url).port, String(port));
    await query(url, "select 1");
  });

  it("starts over a postmaster.pid that a dead server left behind", async () => {
    await ended(await started());
    const stale = [process.pid, join(directory, "postgres"), 1, 5432, "", "127.0.0.1", "  1  1", "ready"];
    await writeFile(join(directory, "postgres", "postmaster.pid"), `${stale.join("\n")}\n`);
    await query((await started()).url, "select 1");
  });

  it("is back on the same port after it was killed", async () => {
    const { url } = await started();
    const first = await pid();
    process.kill(first, "SIGKILL");
    await waitForDatabase(url, { log: silentLog, patienceMs: 10_000 });
    assert.notEqual(await pid(), first);
  });

  it("uses the server that a killed service left behind", async () => {
    const left = await borrowEmbeddedPostgres(options);
    opened.push(left);
    const before = await pid();
    const { url } = await started();
    assert.equal(url, left.url);
    assert.equal(await pid(), before);
  });

  it("refuses a second service on its data directory", async () => {
    await started();
    await assert.rejects(startEmbeddedPostgres(options), /Another Drover service uses/);
  }).timeout(180_000);

  it("lets four start at once: all get the same server", async () => {
    const all = await Promise.all(Array.from({ length: 4 }, () => borrowEmbeddedPostgres(options)));
    opened.push(...all);
    assert.equal(new Set(all.map(({ url }) => url)).size, 1);
    await Promise.all(all.map(({ url }) => query(url, "select 1")));
  });

  it("runs until its last borrower has gone", async () => {
    const [first, second] = [await borrowEmbeddedPostgres(options), await borrowEmbeddedPostgres(options)];
    await first.stop();
    await query(second.url, "select 1");
    await second.stop();
    assert.equal(await embeddedServerPid(directory, silentLog), null);
  });

  it("goes on for a service when a borrower has gone", async () => {
    const { url } = await started();
    await (await borrowEmbeddedPostgres(options)).stop();
    await turn();
    await query(url, "select 1");
  });

  it("names the variable when its data directory cannot be used", async () => {
    const file = join(directory, "no-directory");
    await writeFile(file, "");
    // Linux answers below /proc that the parent is missing, although it is there, and takes no files where it lists some.
    for (const dataDirectory of [file, join(file, "below"), "/proc/drover/data", "/proc/self"]) {
      const refused = new RegExp(`The data directory ${dataDirectory} cannot be used .*DROVER_DATA`);
      await assert.rejects(startEmbeddedPostgres({ ...options, dataDirectory }), refused);
    }
  });

  it("makes its data directory, with all that leads to it", async () => {
    const dataDirectory = join(directory, "made", "for", "it");
    assert.equal(await embeddedServerPid(dataDirectory, silentLog), null);
    assert.deepEqual(await readdir(dataDirectory), []);
  });

  it("repeats what the server reports when it cannot start", async () => {
    await assert.rejects(startEmbeddedPostgres({ ...options, settings: { wal_level: "nonsense" } }), /wal_level/);
  });

  it("reports that the password is missing rather than losing the data", async () => {
    await ended(await started());
    await rm(join(directory, "postgres.password"));
    await assert.rejects(startEmbeddedPostgres(options), /postgres\.password is missing/);
  });
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
