// Commands that need no database, and usage that cannot be understood.
import assert from "node:assert/strict";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { printDroverSchema } from "../../../resolvers/buildSchema.js";
import { run, runHere, runUnread } from "./run.js";

const WORLD = {
  hosts: [{ id: 1, name: "alpha", active: true, maintenance: false }],
  nodes: [
    {
      host_id: 1,
      node: "pve1",
      online: true,
      agent: { healthy: true, current: true, last_seen_s: 5 },
      cores: 8,
      cpu_avg30: 0.25,
      mem_total_mb: 16_384,
      mem_used_mb: 8_192,
      guest_count: 3,
      storages: [{ name: "local", type: "dir", content: ["images"], total_gb: 100, free_gb: 60 }],
    },
  ],
  guests: [],
  request: { type: "qemu", memory_mb: 4_096, cores: 2, disk_gb: 10 },
};

/** Has each process of Node.js tell the flags that it was started with. */
const TELL_FLAGS = "--import=data:text/javascript,console.error(JSON.stringify(process.execArgv))";

describe("cli/offline", () => {
  it("runs a worker with the flags of npm start", async () => {
    const { scripts } = z
      .object({ scripts: z.object({ start: z.string() }) })
      .parse(JSON.parse(await readFile(new URL("../../../../package.json", import.meta.url), "utf8")));
    const { errors } = await run(["worker", "--help"], { NODE_OPTIONS: TELL_FLAGS });
    const [, flags = ""] = /node (--.*) dist/.exec(scripts.start) ?? [];
    assert.notEqual(flags, "");
    assert.equal(errors.trimEnd().split("\n").at(-1), JSON.stringify(flags.split(" ")));
  });

  it("simulates a placement from standard input", async () => {
    const { code, output } = await run(["simulate", "placement", "--input", "-"], {}, JSON.stringify(WORLD));
    assert.equal(code, 0);
    const { best, dropped }: { best: unknown; dropped: unknown[] } = JSON.parse(output);
    assert.partialDeepStrictEqual(best, {
      host_id: 1,
      node: "pve1",
      storage: "local",
      ram_score: 0.25,
      cpu_score: 0.75,
    });
    assert.deepEqual(dropped, []);
  });

  it("simulates a balance", async () => {
    const { code, output } = await run(["simulate", "balance", "--input", "-"], {}, JSON.stringify(WORLD));
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(output), { hot: [], suggestions: [], skipped: [], hot_after: 0 });
  });

  it("ends quietly when its output is no longer read", async () => {
    const { nodes } = WORLD;
    const many = Array.from({ length: 2_000 }, (_, number) => ({ ...nodes[0], node: `pve${number}` }));
    const input = JSON.stringify({ ...WORLD, nodes: many });
    assert.deepEqual(await runUnread(["simulate", "placement", "--input", "-"], input), { code: 0, errors: "" });
  });

  it("writes the GraphQL schema to a file or to standard output", async () => {
    const directory = await mkdtemp(join(tmpdir(), "drover-schema-"));
    try {
      const file = join(directory, "schema.graphql");
      assert.equal((await run(["export-schema", file], {})).code, 0);
      assert.equal(await readFile(file, "utf8"), printDroverSchema());
      assert.equal((await runHere(["export-schema"], {})).output, printDroverSchema());
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  it("names in its help what must be given", async () => {
    const { output } = await runHere(["token", "create", "--help"], {});
    assert.match(output, /--name <name>\s+label \(must be given\)/);
    assert.doesNotMatch(output, /--scope[^\n]*must be given/);
  });

  it("makes no database of its own: it reports what is missing, and leaves nothing behind", async () => {
    const directory = await mkdtemp(join(tmpdir(), "drover-nowhere-"));
    try {
      const commands = [
        ["host", "list"],
        ["token", "list"],
        ["user", "create", "--email", "a@b.example", "--username", "c"],
        ["agent-token", "create", "--host", "1", "--node", "pve1"],
        ["migrate-db"],
        ["worker"],
        ["worker", "--once"],
      ];
      for (const command of commands) {
        const bare = await runHere(command, {}, directory);
        assert.deepEqual([bare.code, bare.output], [2, ""]);
        assert.match(bare.errors, /^drover: DATABASE_URL: is missing\..* DROVER_DATA[^\n]*\n$/);
      }
      const named = await runHere(["host", "list"], { DROVER_DATA: join(directory, "data") }, directory);
      assert.deepEqual([named.code, named.output], [2, ""]);
      assert.match(named.errors, /^drover: DROVER_DATA: no service has a database in [^\n]+\/data, or[^\n]*\n$/);
      assert.deepEqual(await readdir(directory), []);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  const refused: readonly (readonly [what: string, given: string[], input: string, says: RegExp])[] = [
    ["an unknown command", ["dance"], "", /unknown command 'dance'/],
    ["an unknown option", ["token", "list", "--colour"], "", /unknown option '--colour'/],
    ["a missing option", ["token", "create"], "", /--name/],
    ["an id that is no number", ["token", "revoke", "abc"], "", /whole number/],
    ["a moment that is none", ["token", "create", "--name", "x", "--expires", "soon"], "", /moment/],
    ["an unknown role", ["user", "create", "--email", "a@b", "--username", "c", "--role", "king"], "", /admin/],
    ["input that is no JSON", ["simulate", "balance", "--input", "-"], "{", /input is no JSON/],
    ["a file that is not there", ["simulate", "balance", "--input", "/nowhere"], "", /ENOENT/],
    [
      "weights that are all zero",
      ["simulate", "placement", "--input", "-"],
      JSON.stringify({ ...WORLD, settings: { weights: { ram: 0, cpu: 0, storage: 0 } } }),
      /weights/,
    ],
    ["an environment without the secret", ["host", "list"], "", /DROVER_SECRET/],
  ];
  for (const [what, given, input, says] of refused) {
    it(`exits with 2 and one line for ${what}`, async () => {
      const environment = { DATABASE_URL: "postgres://127.0.0.1:9/none" };
      const ran = given.includes("-") ? await run(given, environment, input) : await runHere(given, environment);
      assert.equal(ran.code, 2);
      assert.match(ran.errors, /^drover: [^\n]+\n$/);
      assert.match(ran.errors, says);
      assert.equal(ran.output, "");
    });
  }
});
