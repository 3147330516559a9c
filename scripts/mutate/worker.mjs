// Runs the specs of pure code again and again in one process, each time with another mutant: loading is all that it costs.
import { inTurn, mutate } from "./hook.mjs";
import Mocha from "mocha";

process.on("message", ({ mutant, specs, timeoutMs }) => {
  void run(mutant, specs, timeoutMs).then((failures) => process.send?.({ failures }));
});

/** @returns how many tests failed; a file that cannot be loaded is a failure */
async function run(mutant, specs, timeoutMs) {
  mutate(mutant);
  const mocha = new Mocha({ bail: true, timeout: timeoutMs });
  mocha.suite.emit("pre-require", globalThis, null, mocha);
  try {
    for (const spec of specs) await import(inTurn(spec));
  } catch {
    // Whatever it is: the specs cannot even be loaded with the mutant.
    return 1;
  }
  return new Promise((resolve) => mocha.run(resolve));
}
