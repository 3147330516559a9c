// The programs that people start are bundled: a start reads few files, and what is beside them is found all the same.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Processes } from "../app/service/support/processes.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { runProgram } from "../support/programs.js";

const run = promisify(execFile);
const BUILD = fileURLToPath(new URL("../..", import.meta.url));
/** More than a program with its packages in one bundle each reads; a tenth of what one without them does. */
const FEW = 100;

/** Prints, as the last line, the URL of each file that the program has loaded. */
const COUNTED = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  const loaded = [];
  registerHooks({
    load(url, context, next) {
      if (!url.startsWith("node:")) loaded.push(url);
      return next(url, context);
    },
  });
  process.on("exit", () => process.stdout.write("\\n" + JSON.stringify(loaded)));
`)}`;

/** Starts a program that ends by itself. @returns the files that were loaded, and its output before */
async function loadedBy(program: string, words: readonly string[]): Promise<{ files: string[]; output: string }> {
  const { stdout } = await run(process.execPath, ["--import", COUNTED, BUILD + program, ...words]);
  const lines = stdout.split("\n");
  const files: string[] = JSON.parse(lines.pop() ?? "");
  return { files, output: lines.join("\n") };
}

for (const [program, words] of [
  ["app/cli/main.js", ["worker", "--help"]],
  ["demo/main.js", ["--help"]],
  ["simulator/main.js", ["--help"]],
] as const)
  it(`${program} ${words.join(" ")} reads few files`, async () => {
    const { files, output } = await loadedBy(program, words);
    assert.match(output, /^Usage: /);
    assert.ok(
      files.some((file) => file.includes("/bundled/")),
      "no bundle: `npm run build` makes them",
    );
    assert.ok(files.length < FEW, `${files.length} files`);
  });

describe("the service in its bundle", () => {
  let database: TestDatabase;
  let processes: Processes;
  before(async () => {
    database = await createTestDatabase();
    processes = new Processes({ DATABASE_URL: database.url });
  });
  after(async () => {
    await processes.end();
    await database.close();
  });

  it("finds the panel and the viewers of its APIs", async () => {
    const { url } = await processes.start();
    for (const [path, content] of [
      ["/", /<title>Drover/],
      ["/api/v1/docs/viewer.js", /scalar/],
      ["/graphql", /<title>Drover/],
      ["/graphql/graphiql", /renderYogaGraphiQL/],
    ] as const) {
      const answer = await fetch(url + path, { headers: { Accept: "text/html, */*" } });
      assert.equal(answer.status, 200, path);
      assert.match(await answer.text(), content, path);
    }
  });

  it("names its sources when it fails", async () => {
    const program = runProgram("app/main.js", [], { DROVER_DATA: "/dev/null/drover" });
    assert.notEqual(await program.ended, 0);
    assert.match(program.output(), /"stack":"[^\n]*\/app\/service\.ts:\d+/);
  });
});
