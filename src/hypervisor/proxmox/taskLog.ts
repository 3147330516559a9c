// Reads the log of a task: page by page to its end, and what its last line says of how it ended.
import { z } from "zod";
import { PlatformReason, platformError } from "../platformError.js";
import type { Upid } from "../task.js";
import type { Ask } from "./client.js";
import { figureIn, figureOrNull } from "./figures.js";
import { listOf, textOrNull, understand } from "./parse.js";
import { apiPath } from "./path.js";
import { unlessRefused } from "./refusedAnswer.js";
import { upidParts } from "./upid.js";

/** Lines may be empty; `n` counts from 1, from the beginning of the log. */
const logAnswer = listOf(z.object({ n: figureOrNull("count"), t: textOrNull.transform((line) => line ?? "") }));

type Line = z.output<typeof logAnswer>[number];

/** Lines a request: the platform's default is 50, and 0 (all) is not known to the first builds of 7.3. */
const LOG_PAGE = 5000;
/** More is not read at once: a log that never ends must not fill the memory. */
const MOST_LOG_LINES = 100_000;

/** At most 100,000 lines and a page; lines without numbers are taken for the whole log. @throws DroverError PLATFORM_NOT_FOUND for an unknown task, which the platform answers with a line of text */
export async function readTaskLog(ask: Ask, upid: Upid, start: number): Promise<readonly string[]> {
  const path = apiPath`/nodes/${upidParts(upid).node}/tasks/${upid}/log`;
  const lines: string[] = [];
  for (;;) {
    const from = start + lines.length;
    const { data, total, source } = await ask({ method: "GET", path, parameters: { start: from, limit: LOG_PAGE } });
    const page = understand(logAnswer, data, source);
    if (isEmptyLog(page)) return lines;
    const further = page.filter(({ n }) => n === null || (n > from && n <= from + page.length));
    lines.push(...further.map(({ t }) => t));
    const isLast =
      page.length < LOG_PAGE && start + lines.length >= (figureIn(total, "count") ?? Number.POSITIVE_INFINITY);
    const isNumbered = further.length > 0 && further.every(({ n }) => n !== null);
    if (isLast || !isNumbered || lines.length >= MOST_LOG_LINES) return lines;
  }
}

/** @throws DroverError PLATFORM_NOT_FOUND */
function isEmptyLog(page: readonly Line[]): boolean {
  const [first] = page;
  if (first === undefined || page.length > 1 || (first.n ?? 1) !== 1) return false;
  if (first.t.startsWith("unable to open file"))
    throw platformError(PlatformReason.NOT_FOUND, `no such task: ${first.t}`);
  return first.t === "no content";
}

/** @returns the exit status that the last line of an ended task's log states; null when there is none */
export async function readLastWord(ask: Ask, upid: Upid): Promise<string | null> {
  const lines = await unlessRefused(readTaskLog(ask, upid, 0), () => []);
  const [, good, error] = /^TASK (?:(OK|WARNINGS: \d+)|ERROR: (.+))\s*$/.exec(lines.at(-1) ?? "") ?? [];
  return good ?? error ?? null;
}
