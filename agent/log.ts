// Writes the agent's log: one line an event, for systemd's journal when it listens, never with a secret in it.
import { terminalText } from "./terminalText.js";

export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** sd-daemon(3) priorities, which the journal takes from the start of a line. */
const PRIORITY = { info: 6, warn: 4, error: 3 } as const;

/** A log on standard output; `journal` prefixes the priority as systemd expects it. */
export function createLog(journal = process.env["JOURNAL_STREAM"] !== undefined): Log {
  const write = (level: keyof typeof PRIORITY, message: string): void => {
    const line = terminalText(message.replace(/\s*\n\s*/g, " | "));
    process.stdout.write(journal ? `<${PRIORITY[level]}>${line}\n` : `${level}: ${line}\n`);
  };
  return {
    info: (message) => write("info", message),
    warn: (message) => write("warn", message),
    error: (message) => write("error", message),
  };
}
