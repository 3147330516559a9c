// Runs a whole command from its start to its end, and says what it took; one that takes too much CPU time is ended.
import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { Figures } from "../frame.js";

/** CPU seconds that a command may take. The system ends it, even where nobody is there any more to do so. */
export const LONGEST_CPU_SECONDS = 10;

/** A command, and how its answer shows that it did its work. */
export interface WholeCommand {
  readonly file: string;
  readonly given: readonly string[];
  readonly answers: RegExp;
}

/** Bash tells wall-clock, user and system seconds, of the command alone, in the last line of the standard error. */
const TIMED = `TIMEFORMAT='%3R %3U %3S'
time { (ulimit -c 0; ulimit -S -t ${LONGEST_CPU_SECONDS}; exec "$@"); code=$?; }
exit $code`;
/** What bash exits with when the system ended the command for its CPU time: 128 and SIGXCPU. */
const ENDED = 152;
const LONGEST_OUTPUT_BYTES = 64 * 1024 ** 2;

/**
 * @returns CPU and wall-clock milliseconds; of a command that was ended, what it had taken until then
 * @throws Error when it failed, or answered something else
 */
export async function takes({ file, given, answers }: WholeCommand): Promise<Figures> {
  const { code, output, errors } = await run(["-c", TIMED, "timed", file, ...given]);
  const [wall = Number.NaN, user = Number.NaN, system = Number.NaN] = (errors.trimEnd().split("\n").at(-1) ?? "")
    .split(" ")
    .map((seconds) => Number(seconds) * 1000);
  if (code === ENDED) return { "CPU ms": Math.max(user + system, LONGEST_CPU_SECONDS * 1000), ms: wall };
  if (code !== 0 || !answers.test(output)) {
    throw new Error(`${file} did not answer as expected, exit code ${code}: ${errors}${output.slice(0, 500)}`);
  }
  return { "CPU ms": user + system, ms: wall };
}

/** Whether these figures are those of a command that was ended: in truth it takes longer. */
export const wasEnded = (figures: Figures): boolean => (figures["CPU ms"] ?? Number.NaN) >= LONGEST_CPU_SECONDS * 1000;

/** Rejects where bash could not be started, or the answer was too long to be held. */
const run = (given: readonly string[]): Promise<{ code: number | null; output: string; errors: string }> =>
  new Promise((resolve, reject) => {
    execFile("bash", given, { maxBuffer: LONGEST_OUTPUT_BYTES }, (error, output, errors) => {
      if (typeof error?.code === "string") reject(error);
      else resolve({ code: error === null ? 0 : (error.code ?? null), output, errors });
    });
  });

/** @returns where a program is: where the environment variable of its name in capitals says, or in the PATH; null: nowhere. */
export async function placeOf(program: string): Promise<string | null> {
  const given = process.env[program.toUpperCase()];
  const places =
    given === undefined
      ? (process.env["PATH"] ?? "").split(delimiter).map((directory) => join(directory, program))
      : [given];
  for (const place of places) if (await isProgram(place)) return place;
  return null;
}

const isProgram = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
