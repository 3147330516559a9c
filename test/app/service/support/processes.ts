// Whole processes of the service for a test: started with an environment, ended for good after it.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { runProgram, type RunningProgram } from "../../../support/programs.js";
import { client, type ApiClient } from "./client.js";

/** A running process of the service. */
export interface ServiceProcess {
  readonly program: RunningProgram;
  /** Base URL. */
  readonly url: string;
}

/** The processes of one test: they share their environment, so one database and one secret. */
export class Processes {
  readonly #environment: Record<string, string>;
  readonly #running: RunningProgram[] = [];

  constructor(environment: Record<string, string>) {
    const secret = randomBytes(32).toString("base64");
    this.#environment = { PORT: "0", DROVER_SECRET: secret, DROVER_SYNC_SECONDS: "1", ...environment };
  }

  /** Starts a process and waits until it is ready. @param file the program, when it is not the service of this build */
  start(environment: Record<string, string> = {}, file?: string): Promise<ServiceProcess> {
    return this.#startUntil("ready", environment, file);
  }

  /** Starts a process and waits until it listens, whether or not it can serve. */
  startListening(environment: Record<string, string> = {}): Promise<ServiceProcess> {
    return this.#startUntil("listening", environment);
  }

  async #startUntil(
    message: string,
    environment: Record<string, string>,
    file = "app/main.js",
  ): Promise<ServiceProcess> {
    const program = runProgram(file, [], { ...this.#environment, ...environment });
    this.#running.push(program);
    await program.printed(`"msg":"${message}"`);
    const [, url] = new RegExp(`"url":"(http:[^"]+)"[^\n]*"msg":"${message}"`).exec(program.output()) ?? [];
    assert.ok(url !== undefined, program.output());
    return { program, url };
  }

  /** Runs a command of the operator's command line beside them. */
  command(...words: readonly string[]): RunningProgram {
    const program = runProgram("app/cli/main.js", words, this.#environment);
    this.#running.push(program);
    return program;
  }

  /** Kills whatever still runs. */
  async end(): Promise<void> {
    await Promise.all(this.#running.splice(0).map((program) => program.end("SIGKILL")));
  }
}

const FIRST_PASSWORD = /Sign in as admin with the password (\S+) \(shown only now\)/;

/** @returns the password that a first start has printed; null when it printed none */
export const firstPassword = ({ program }: ServiceProcess): string | null =>
  FIRST_PASSWORD.exec(program.output())?.[1] ?? null;

/** Signs in as the admin of a first start, and makes an API token that may do everything. */
export async function apiClient(service: ServiceProcess): Promise<ApiClient> {
  await service.program.printed("(shown only now)");
  const { login } = await client(service.url, null).graphql<{ login: { token: string } }>(
    'mutation ($password: String!) { login(username: "admin", password: $password) { token } }',
    { password: firstPassword(service) },
  );
  const made = await client(service.url, login.token).graphql<{ createApiToken: { value: string } }>(
    'mutation { createApiToken(input: { name: "test", permissions: ["hosts.manage"] }) { value } }',
  );
  return client(service.url, made.createApiToken.value);
}
