// Builds beside each other: the switch to a new one disturbs nobody, and commands use what is built and never build.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, readlink, rm, utimes, writeFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const PROJECT = fileURLToPath(new URL("../../../", import.meta.url));
/** What the bare project of a test calls its command's answer. */
const ANSWER = "the command ran\n";
const later = (): Date => new Date(Date.now() + 60_000);

interface Ran {
  readonly output: string;
  readonly errors: string;
  readonly code: number;
}

describe("scripts/builds", () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "drover-builds-"));
    for (const part of ["scripts", "bin"]) await cp(join(PROJECT, part), join(root, part), { recursive: true });
    await write("package.json", `{"name":"drover","type":"module"}`);
    for (const tool of ["tsconfig.json", "package-lock.json", "schema/schema.graphql"]) await write(tool, "");
    await write("app/cli/main.ts", "// as it was built\n");
  });
  afterEach(() => rm(root, { recursive: true }));

  const write = async (path: string, content: string): Promise<void> => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  };

  /** Evaluates a piece of a module that has the scripts' functions. @returns what it prints */
  const evaluate = async (module: string): Promise<string> => {
    const imports = `import * as builds from "./scripts/builds.mjs"; import * as sources from "./scripts/sources.mjs";`;
    const code = `${imports} import { mkdirSync, writeFileSync } from "node:fs"; const root = process.cwd(); ${module}`;
    return (await run(process.execPath, ["--input-type=module", "-e", code], { cwd: root })).stdout;
  };

  /** Builds a program that prints `answer`, and one that goes on to a part of itself when it is told to. */
  const build = (answer: string): Promise<string> =>
    evaluate(`
      const output = builds.unfinishedBuild(root);
      mkdirSync(output + "/app/cli", { recursive: true });
      writeFileSync(output + "/app/main.js", 'process.stdin.once("data", async () => (await import("./part.js")).tell()); console.log("up");');
      writeFileSync(output + "/app/part.js", ${JSON.stringify(`export const tell = () => { console.log(${JSON.stringify(answer)}); process.exit(); };`)});
      writeFileSync(output + "/app/cli/main.js", ${JSON.stringify(`process.stdout.write(${JSON.stringify(ANSWER)})`)});
      const inputs = sources.fingerprintOf(root, sources.buildInputs(root));
      const program = sources.fingerprintOf(root, sources.programSources(root));
      writeFileSync(output + "/" + builds.DESCRIPTION, JSON.stringify({ inputs, program }));
      builds.switchTo(root, output);
      builds.removeOldBuilds(root);`);

  const buildsThere = async (): Promise<string[]> => (await readdir(root)).filter((name) => name.startsWith("dist-"));

  const drover = async (): Promise<Ran> => {
    const child = spawn(process.execPath, [join(root, "bin", "drover.js")], { cwd: tmpdir() });
    const ended = once(child, "close");
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [code] = await ended;
    return { output, errors, code: Number(code) };
  };

  const isCurrent = (): Promise<string> =>
    evaluate(`const inputs = sources.fingerprintOf(root, sources.buildInputs(root));
      process.stdout.write(String(builds.currentBuild(root)?.inputs === inputs));`);

  it("let a program that runs go on with its own parts after two further builds", async () => {
    await build("first");
    const child = spawn(process.execPath, [join("dist", "app", "main.js")], { cwd: root });
    let output = "";
    child.stdout.on("data", (bytes: Buffer) => (output += bytes.toString()));
    await once(child.stdout, "data");
    await build("second");
    await build("third");
    child.stdin.end("go on\n");
    await once(child, "close");
    assert.equal(output, "up\nfirst\n");
  });

  it("are never missing while they are switched", async () => {
    await build("first");
    const look = `
      import { readFileSync } from "node:fs";
      let looks = 0;
      process.stdin.on("data", () => console.log(looks)).once("end", () => process.exit());
      const turn = () => { readFileSync("dist/app/cli/main.js"); looks++; setImmediate(turn); };
      turn();`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", look], { cwd: root });
    let errors = "";
    child.stderr.on("data", (bytes: Buffer) => (errors += bytes.toString()));
    const closed = once(child, "close");
    const looks = async (): Promise<number> => {
      child.stdin.write("how many?\n");
      const [told] = await Promise.race([once(child.stdout, "data"), closed.then(() => assert.fail(errors))]);
      return Number(told);
    };
    // A build counts during which the child has looked.
    for (let number = 1, counted = 0; counted < 4; number++) {
      const before = await looks();
      await build(`build ${number}`);
      if ((await looks()) > before + 1) counted++;
    }
    child.stdin.end();
    await closed;
    assert.equal(errors, "");
  });

  it("stay for the current one and the two before it", async () => {
    for (const name of ["first", "second", "third", "fourth"]) await build(name);
    const there = await buildsThere();
    assert.equal(there.length, 3);
    assert.ok(there.includes(await readlink(join(root, "dist"))));
    assert.match(await readFile(join(root, "dist", "app", "part.js"), "utf8"), /fourth/);
  });

  it("keep as an earlier build what an earlier release has built in place", async () => {
    await write("dist/app/cli/main.js", "process.stdout.write('in place')");
    await build("first");
    assert.equal((await buildsThere()).length, 2);
    assert.deepEqual(await drover(), { output: ANSWER, errors: "", code: 0 });
  });

  it("are current until a source changes, or a developer compiles into them by hand", async () => {
    await build("first");
    assert.equal(await isCurrent(), "true");
    await utimes(join(root, "dist", "app", "main.js"), later(), later());
    assert.equal(await isCurrent(), "false");
    await build("second");
    assert.equal(await isCurrent(), "true");
    await write("test/new.test.ts", "");
    assert.equal(await isCurrent(), "false");
  });

  it("are asked for by a command that finds none, or whose sources are newer, and never made by it", async () => {
    assert.deepEqual(await drover(), {
      output: "",
      errors: "drover: the project is not built: run `npm run build`\n",
      code: 1,
    });
    await build("first");
    assert.deepEqual(await drover(), { output: ANSWER, errors: "", code: 0 });
    const source = join(root, "app", "cli", "main.ts");
    await utimes(source, later(), later());
    assert.equal((await drover()).output, ANSWER, "a file that was only copied counts as new");
    await writeFile(source, "// changed since\n");
    await utimes(source, later(), later());
    const stale = await drover();
    assert.deepEqual([stale.output, stale.code], ["", 1]);
    assert.match(
      stale.errors,
      /^drover: the project has sources that are newer than its build: run `npm run build`\n$/,
    );
    assert.equal((await buildsThere()).length, 1);
  });

  it("are not made by npx, which finds the command where an installation has put it", async () => {
    await build("first");
    const built = await readlink(join(root, "dist"));
    await mkdir(join(root, "node_modules", ".bin"), { recursive: true });
    const prepare = `process.argv[1] = "";
      const { writeFileSync } = await import("node:fs"); writeFileSync("scripts/build.mjs", ""); await import("./scripts/prepare.mjs");`;
    await run(process.execPath, ["--input-type=module", "-e", prepare], { cwd: root });
    const { stdout } = await run("npx", ["drover"], { cwd: root });
    assert.equal(stdout, ANSWER);
    assert.equal(await readlink(join(root, "dist")), built);
  });
});
