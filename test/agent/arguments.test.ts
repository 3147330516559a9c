// The command line of drover-agent.
import assert from "node:assert/strict";
import { parseArguments } from "../../agent/arguments.js";

describe("agent command line", () => {
  const good: [string, string, string][] = [
    ["", "run", "/etc/drover-agent.json"],
    ["run --config /a", "run", "/a"],
    ["--config=/a=b check", "check", "/a=b"],
    ["remove-forwards", "remove-forwards", "/etc/drover-agent.json"],
    ["--version", "version", "/etc/drover-agent.json"],
    ["--help", "help", "/etc/drover-agent.json"],
  ];
  for (const [line, command, configPath] of good) {
    it(`understands "${line}"`, () => {
      assert.deepEqual(parseArguments(line.split(" ").filter(Boolean)), { command, configPath });
    });
  }

  for (const line of ["stop", "run check", "--config", "--config=", "-v", "--verbose=1"]) {
    it(`refuses "${line}"`, () => assert.throws(() => parseArguments(line.split(" ")), /unexpected|needs a path/));
  }
});
