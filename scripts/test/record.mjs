// Reports a run as mocha's own reporter does, and writes each failure and the end of the run to a file, a line of JSON each.
import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import Mocha from "mocha";

/** Names the file. */
export const RECORD = "DROVER_TEST_RECORD";

const { EVENT_RUN_END, EVENT_TEST_FAIL } = Mocha.Runner.constants;
/** Lines of a failure's message that are kept: the rest is in the report above. */
const MESSAGE_LINES = 6;
const LONGEST_LINE = 300;

export default class Record extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    // A hook that fails is a failure too: `failed` is then the hook.
    runner.on(EVENT_TEST_FAIL, (failed, error) => {
      const path = failed.titlePath();
      write({
        file: relative(process.cwd(), failed.file ?? failed.parent?.file ?? ""),
        // A hook of the whole run stands in no block.
        block: path.length > 1 ? path[0] : null,
        title: path.join(" › "),
        error: shortened(error),
      });
    });
    runner.on(EVENT_RUN_END, () => {
      const { passes, failures, pending } = runner.stats;
      write({ end: { passes, failures, pending } });
    });
  }
}

function write(line) {
  appendFileSync(process.env[RECORD], `${JSON.stringify(line)}\n`);
}

/** The first lines of the message, and the line of the project that threw. */
function shortened(error) {
  const message = String(error?.message ?? error).split("\n");
  const stack = String(error?.stack ?? "").split("\n");
  const place = stack.find((line) => /^\s+at .*\.tsx?:\d+/.test(line) && !line.includes("node_modules"));
  const lines = [...message.slice(0, MESSAGE_LINES), ...(place === undefined ? [] : [place.trim()])];
  return lines.map((line) => line.slice(0, LONGEST_LINE));
}
