// The operator's command line: `drover …`.
import { runCommand } from "./runCommand.js";

// Who reads the answer, such as head, may have seen enough of it: the rest is nobody's, and no fault.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});
process.exitCode = await runCommand(process.argv.slice(2));
