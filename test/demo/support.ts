// Runs the demo of a test in a folder of its own: its two parts separately, each started again when a test needs it.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { graphqlClient, repeated, signIn } from "../../demo/graphqlClient.js";
import { WIDE_GUARDS } from "../support/guards.js";
import { runProgram, type RunningProgram } from "../support/programs.js";

const READY = { platform: "platform ready", service: "Drover is ready" } as const;
type Part = keyof typeof READY;

const description = z.object({
  url: z.string(),
  graphql: z.string(),
  admin: z.object({ username: z.string(), password: z.string() }),
  apiToken: z.string(),
  scopedToken: z.string(),
  scopedHostIds: z.array(z.number()),
  agents: z.array(z.object({ hostId: z.number(), node: z.string() })),
  hosts: z.array(z.object({ id: z.number(), name: z.string(), control: z.string() })),
  pids: z.object({ platform: z.number(), service: z.number(), database: z.number() }),
});
type Described = z.output<typeof description>;
const listed = z.object({ success: z.literal(true), data: z.array(z.record(z.string(), z.unknown())) });

interface StartedPart {
  readonly program: RunningProgram;
  /** Called again and again, it waits once. */
  readonly ready: () => Promise<void>;
}

export class TestDemo {
  readonly directory: string;
  /** Of every program. */
  readonly environment: Readonly<Record<string, string>>;
  readonly #all = new Set<RunningProgram>();
  readonly #parts = new Map<Part, StartedPart>();

  constructor(directory: string) {
    this.directory = directory;
    this.environment = {
      ...WIDE_GUARDS,
      DROVER_DATA: directory,
      PORT: "0",
      LOG_LEVEL: "warn",
      DROVER_SYNC_SECONDS: "1",
      // As in the shell of somebody who also operates a service: the demo has a database of its own.
      DATABASE_URL: "postgres://drover@127.0.0.1:1/drover",
    };
  }

  run(words: readonly string[] = [], settings: Readonly<Record<string, string>> = {}): RunningProgram {
    const program = runProgram("demo/main.js", words, { ...this.environment, ...settings });
    this.#all.add(program);
    return program;
  }

  /** Starts a part that does not run. */
  start(part: Part, settings: Readonly<Record<string, string>> = {}): RunningProgram {
    const program = this.run(["--only", part], settings);
    let ready: Promise<void> | null = null;
    this.#parts.set(part, { program, ready: () => (ready ??= program.printed(READY[part])) });
    void this.#forgetEnded(part, program);
    return program;
  }

  /** Started unless it runs; resolves when it is ready. */
  async platformRuns(): Promise<RunningProgram> {
    return this.#runs("platform");
  }

  /** Against a platform that runs; started unless it runs; resolves when it is ready. */
  async serviceRuns(): Promise<RunningProgram> {
    await this.platformRuns();
    return this.#runs("service");
  }

  async endService(): Promise<void> {
    await this.#parts.get("service")?.program.end();
  }

  async endAll(): Promise<void> {
    for (const program of [...this.#all].toReversed()) await program.end();
  }

  /** What `demo.json` says. */
  async describe(): Promise<Described> {
    return description.parse(await this.read());
  }

  async read(): Promise<unknown> {
    return JSON.parse(await readFile(join(this.directory, "demo.json"), "utf8"));
  }

  /** A list of REST v1. @param token the demo's own by default */
  async list(path: string, token?: string): Promise<Record<string, unknown>[]> {
    const { url, apiToken } = await this.describe();
    const answer = await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${token ?? apiToken}` } });
    return listed.parse(await answer.json()).data;
  }

  /** Runs a GraphQL operation that can be repeated. */
  async ask(document: string, variables: Record<string, unknown>): Promise<unknown> {
    const { graphql, apiToken } = await this.describe();
    const { signal: over } = new AbortController();
    const ask = graphqlClient({ url: graphql, token: apiToken, over });
    return repeated(() => ask(document, variables, z.unknown()), over);
  }

  /** As the admin does in the panel: the demo does not learn of it. */
  async changePassword(changed: string): Promise<void> {
    const { graphql, admin } = await this.describe();
    const ask = await signIn({ url: graphql, over: new AbortController().signal }, admin);
    const document = `mutation ($current: String!, $new: String!) { changePassword(current: $current, new: $new) }`;
    await ask(document, { current: admin.password, new: changed }, z.unknown());
  }

  /** Makes its service one that was ended before it had made everything. */
  async forgetFurniture(): Promise<void> {
    const path = join(this.directory, "demo.draft.json");
    const draft = z.record(z.string(), z.unknown()).parse(JSON.parse(await readFile(path, "utf8")));
    await writeFile(path, JSON.stringify({ ...draft, agents: [], apiToken: "", scopedToken: "", scopedHostIds: [] }));
  }

  async #runs(part: Part): Promise<RunningProgram> {
    if (!this.#parts.has(part)) this.start(part);
    const started = this.#parts.get(part);
    if (started === undefined) throw new Error(`the ${part} was not started`);
    await started.ready();
    return started.program;
  }

  async #forgetEnded(part: Part, program: RunningProgram): Promise<void> {
    await program.ended;
    if (this.#parts.get(part)?.program === program) this.#parts.delete(part);
  }
}
