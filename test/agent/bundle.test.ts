// The bundled program as a node runs it. DROVER_TEST_NODE names another Node.js to try it with (12.22, 18, 20).
import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCertificate } from "./certificate.js";
import { portOf, startFakeService } from "./fakeService.js";

const BUNDLE = join(import.meta.dirname, "..", "..", "agent", "drover-agent.js");
const NODE = process.env["DROVER_TEST_NODE"] ?? process.execPath;

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

function start(...words: string[]): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(NODE, words, { stdio: ["ignore", "pipe", "pipe"], env: { PATH: "/usr/bin:/bin" } });
  let output = "";
  child.stdout.on("data", (chunk) => (output += String(chunk)));
  child.stderr.on("data", (chunk) => (output += String(chunk)));
  const ended = once(child, "close").then(([code]) => ({ code: typeof code === "number" ? code : null, output }));
  return { child, ended };
}

describe("agent bundle", () => {
  let directory: string;
  let config: string;
  let program: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "drover-bundle-"));
    config = join(directory, "config.json");
    program = join(directory, "drover-agent.js");
    await copyFile(BUNDLE, program);
  });
  after(() => rm(directory, { recursive: true }));

  it("needs nothing but modules that Node.js 12 has", async () => {
    const needed = [...(await readFile(BUNDLE, "utf8")).matchAll(/\b(?:require|import)\("([^"]+)"\)/g)].map(
      ([, name]) => name,
    );
    assert.ok(needed.length > 5);
    const allowed = builtinModules.filter((name) => !name.includes("/"));
    assert.deepEqual(
      needed.filter((name) => !allowed.includes(name ?? "")),
      [],
    );
  });

  it("uses nothing of the language's library that Node.js 12 lacks (but the cause of errors, which it ignores)", async () => {
    const root = join(import.meta.dirname, "..", "..", "..");
    const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
    const library = ["--target", "es2022", "--lib", "es2020,es2022.error", "--types", "node", "--module", "nodenext"];
    const entry = join(root, "agent", "main.ts");
    const checked = spawn(
      process.execPath,
      [compiler, "--ignoreConfig", "--noEmit", "--strict", "--skipLibCheck", ...library, entry],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    const output = (await checked.stdout.toArray()).join("");
    assert.equal(output, "");
  });

  it("runs copied out of this repository and inside it", async () => {
    for (const path of [program, BUNDLE]) {
      const { code, output } = await start(path, "--version").ended;
      assert.match(output, /^drover-agent 1\.0\.0 \(Node\.js \d/);
      assert.equal(code, 0);
    }
  });

  it("ends with 2 and one line for what it cannot do", async () => {
    const bad = [
      { words: ["--config", join(directory, "none.json")], message: /none\.json cannot be read/ },
      { words: ["explode"], message: /unexpected argument: explode/ },
      { words: ["--config"], message: /--config needs a path/ },
      { words: ["check", "run"], message: /unexpected argument: run/ },
    ];
    for (const { words, message } of bad) {
      const { code, output } = await start(program, ...words).ended;
      assert.equal(code, 2);
      assert.match(output, message);
      assert.equal(output.trim().split("\n").length, 1);
    }
  });

  it("names every fault of a configuration and no secret of it", async () => {
    await writeFile(config, '{"token":"sesame open"');
    assert.doesNotMatch((await start(program, `--config=${config}`).ended).output, /sesame/);
    await writeFile(config, '{"token":"sesame open","url":"x","node":"-"}');
    const { output } = await start(program, `--config=${config}`).ended;
    assert.match(output, /url is not a URL.*|token has characters/);
    assert.match(output, /node must be/);
    assert.doesNotMatch(output, /sesame/);
  });

  describe("beside a service and a simulated node", () => {
    const control = createServer((request, response) => {
      const node = { name: "pve1", online: true, cpu: 0.1, memTotalMb: 1024, memUsedMb: 512 };
      response.end(JSON.stringify(request.url === "/state" ? { nodes: [node] } : {}));
    });
    let controlPort: number;
    before(async () => {
      control.listen(0, "127.0.0.1");
      await once(control, "listening");
      controlPort = portOf(control.address());
      await writeFile(join(directory, "token"), "agent-secret\n", { mode: 0o600 });
    });
    after(() => control.close());

    async function configure(more: object): Promise<void> {
      const own = { token_file: join(directory, "token"), state_directory: join(directory, "state"), node: "pve1" };
      const simulated = { platform: "control", control: `http://127.0.0.1:${controlPort}` };
      await writeFile(config, JSON.stringify({ ...own, ...simulated, ...more }));
    }

    it("beats, does a job, reports it and stops on SIGTERM while it is held", async () => {
      const deadline = new Date(Date.now() + 60_000).toISOString();
      const job = { id: "j1", kind: "tcp_check", payload: { host: "127.0.0.1", port: controlPort }, deadline };
      const answers = [{ jobs: [job] }, {}];
      const service = await startFakeService((_beat, index) => answers[index] ?? null);
      await configure({ url: service.url });
      const { child, ended } = start(program, "--config", config);
      assert.equal((await service.beat(0)).authorization, "Bearer agent-secret");
      const [result] = (await service.beat(1)).body.results;
      assert.equal(result?.data["reachable"], true, result?.error ?? "");
      await service.beat(2);
      child.kill("SIGTERM");
      const { code, output } = await ended;
      assert.equal(code, 0, output);
      assert.match(output, /job j1 \(tcp_check\) is done/);
      assert.doesNotMatch(output, /agent-secret/);
      assert.match(await readFile(join(directory, "state", "results.json"), "utf8"), /"id":"j1"/);
      await service.close();
    });

    it("checks the node over TLS, by fingerprint or authority, and trusts no other service", async () => {
      const tls = await makeCertificate();
      const service = await startFakeService(() => ({}), { tls });
      const ca = join(directory, "ca.pem");
      await writeFile(ca, tls.cert);
      const cases: [object, number, RegExp][] = [
        [{ fingerprint: tls.fingerprint }, 0, /the service answers and knows this node as pve1/],
        [{ ca }, 0, /the service answers and knows this node as pve1/],
        [{ fingerprint: "0".repeat(64) }, 1, /problem: no heartbeat possible: the service shows another certificate/],
        [{}, 1, /problem: no heartbeat possible: .*self.signed/],
      ];
      for (const [trust, expected, message] of cases) {
        await configure({ url: service.url, ...trust });
        const { code, output } = await start(program, "check", "--config", config).ended;
        assert.match(output, message);
        assert.equal(code, expected);
      }
      assert.equal(service.beats.length, 2);
      await service.close();
    });

    it("refuses to start while others can read or change the file that holds its token", async () => {
      const service = await startFakeService(() => ({}));
      const token = join(directory, "token");
      const own = join(directory, "own.json");
      const simulated = { platform: "control", control: `http://127.0.0.1:${controlPort}`, node: "pve1" };
      await writeFile(own, JSON.stringify({ ...simulated, url: service.url, token: "agent-secret" }), { mode: 0o600 });
      await configure({ url: service.url });
      for (const [path, file] of [
        [own, own],
        [config, token],
      ] as const) {
        for (const mode of [0o640, 0o604, 0o620, 0o602]) {
          await chmod(file, mode);
          for (const command of ["run", "check"]) {
            const { code, output } = await start(program, command, "--config", path).ended;
            assert.equal(code, 2, output);
            assert.ok(output.includes(`${file} holds the token`) && output.includes(`chmod 600 ${file}`), output);
            assert.doesNotMatch(output, /agent-secret/);
          }
        }
        await chmod(file, 0o600);
        assert.equal((await start(program, "check", "--config", path).ended).code, 0);
      }
      await service.close();
    });

    it("removes the forwards of its node", async () => {
      await configure({ url: "http://127.0.0.1:1" });
      const { code, output } = await start(program, "remove-forwards", "--config", config).ended;
      assert.deepEqual([code, output], [0, "All port forwards of Drover were removed from this node.\n"]);
    });
  });
});
