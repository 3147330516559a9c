// What is built from and runs with the project: its licenses, and how known vulnerabilities are told.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { originOf } from "../support/origin.js";

const script = (name: string): string => fileURLToPath(new URL(`../../../scripts/${name}`, import.meta.url));

const checkLicenses = (...given: string[]) =>
  spawnSync(process.execPath, [script("licenses.mjs"), ...given], { encoding: "utf8" });

describe("the licenses of packages", () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "drover-licenses-"));
  });
  after(() => rm(directory, { recursive: true }));

  it("are permissive, or excepted", () => {
    const { status, stdout } = checkLicenses();
    assert.equal(status, 0, stdout);
  });

  it("are looked at again when an exception has ended", () => {
    const { status, stdout } = checkLicenses("--today", "9999-12-31");
    assert.equal(status, 1);
    assert.match(stdout, /^axe-core \S+: MPL-2\.0, and no exception that holds on 9999-12-31$/m);
  });

  for (const [license, faults] of [
    ["MIT", 0],
    ["(GPL-3.0 OR MIT)", 0],
    ["(MIT AND BSD-3-Clause)", 0],
    ["(GPL-3.0 AND MIT)", 1],
    ["GPL-3.0", 1],
    ["SEE LICENSE IN terms.txt", 1],
    [undefined, 1],
  ] as const) {
    it(`${faults === 0 ? "may" : "may not"} be ${license ?? "left out"}`, async () => {
      const lockFile = join(directory, "lock.json");
      const packages = {
        "": { license: "GPL-3.0" },
        "node_modules/a/node_modules/@b/c": { version: "1.0.0", license },
      };
      await writeFile(lockFile, JSON.stringify({ packages }));
      const { status, stdout } = checkLicenses(lockFile);
      assert.equal(status, faults, stdout);
      assert.match(
        stdout,
        new RegExp(`${faults === 0 ? "^" : "^@b/c 1\\.0\\.0: .*\\n"}1 packages, ${faults} faults\\n$`),
      );
    });
  }
});

describe("the vulnerabilities of packages", () => {
  let registry: Server;
  let origin: string;
  let answer: { readonly status: number; readonly body: unknown };
  before(async () => {
    registry = createServer((request, response) => {
      const asked = request.url?.endsWith("/advisories/bulk") === true ? answer : { status: 404, body: {} };
      response.writeHead(asked.status, { "Content-Type": "application/json" }).end(JSON.stringify(asked.body));
    });
    origin = await originOf(registry);
  });
  after(() => registry.close());

  const check = async () => {
    const env = { ...process.env, npm_config_registry: origin, npm_config_fetch_retries: "0" };
    const child = spawn(process.execPath, [script("advisories.mjs")], { env, stdio: ["ignore", "pipe", "inherit"] });
    const [stdout, [status]] = await Promise.all([text(child.stdout), once(child, "exit")]);
    return { status, stdout };
  };

  it("are none where the registry has none", async () => {
    answer = { status: 200, body: {} };
    const { status, stdout } = await check();
    assert.equal(status, 0, stdout);
  });

  it("are named, and fail the check", async () => {
    const url = "https://github.com/advisories/GHSA-0000-1111-2222";
    const advisory = { id: 1, url, title: "reads beyond", severity: "high", vulnerable_versions: "<=99.0.0" };
    answer = { status: 200, body: { pg: [{ ...advisory, cwe: [], cvss: { score: 7, vectorString: null } }] } };
    const { status, stdout } = await check();
    assert.equal(status, 1, stdout);
    assert.match(stdout, /^GHSA-0000-1111-2222 high: pg <=99\.0\.0: reads beyond$/m);
  });

  it("are unknown where the registry does not answer, which is reported apart", async () => {
    answer = { status: 405, body: {} };
    const { status, stdout } = await check();
    assert.equal(status, 2, stdout);
    assert.match(stdout, /^The registry did not answer: 405/);
  });
});
