// A logger that says nothing, and one whose lines a test reads.
import { pino } from "pino";
import { z } from "zod";
import { createLogger, type Logger } from "../../src/observability/log.js";

export const silentLog = createLogger("silent", "test");

const LINE = z.object({ level: z.number(), msg: z.string() });

/** @returns a logger, and the lines that it has written so far: their level and their message */
export function keptLog(): { readonly log: Logger; readonly lines: readonly string[] } {
  const lines: string[] = [];
  const write = (text: string): void => {
    const { level, msg } = LINE.parse(JSON.parse(text));
    lines.push(`${pino.levels.labels[level]}: ${msg}`);
  };
  return { log: pino({ level: "trace" }, { write }), lines };
}
