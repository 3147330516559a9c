// Structured logs in JSON lines on standard output; secrets are redacted.
import { pino, type Logger, type LoggerOptions } from "pino";

export type { Logger };

const SECRET_PATHS = ["password", "secret", "token", "value", "authorization", "cookie"].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
]);

const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;

/**
 * Makes the process's root logger. Levels: trace, debug, info, warn, error, fatal, silent.
 * A command writes its result to standard output, so it logs to standard error.
 */
export function createLogger(level: string, role: string, output: "output" | "error" = "output"): Logger {
  const options: LoggerOptions = {
    level,
    base: { role, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRET_PATHS, censor: "[secret]" },
  };
  return pino(options, pino.destination({ dest: output === "error" ? STANDARD_ERROR : STANDARD_OUTPUT, sync: true }));
}
