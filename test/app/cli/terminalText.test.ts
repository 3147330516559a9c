import assert from "node:assert/strict";
import { terminalText as ofAgent } from "../../../agent/terminalText.js";
import { terminalText } from "../../../app/cli/terminalText.js";

const CASES = [
  ["a clear screen", "pve1\u001b[2Jpve2", "pve1\\u{1b}[2Jpve2"],
  ["a window title", "\u001b]0;owned\u0007", "\\u{1b}]0;owned\\u{7}"],
  ["the one-character CSI of C1", "\u009b31mred", "\\u{9b}31mred"],
  ["a carriage return that overwrites the line", "safe\rroot", "safe\\u{d}root"],
  ["an override of the direction", "user\u202etxt.exe", "user\\u{202e}txt.exe"],
  ["Unicode's line separator", "one\u2028two", "one\\u{2028}two"],
] as const;

describe("cli/terminalText", () => {
  for (const [name, text, shown] of CASES) {
    it(`escapes ${name}, in the command and in the agent`, () => {
      assert.equal(terminalText(text), shown);
      assert.equal(ofAgent(text), shown);
    });
  }

  it("leaves ordinary text of any language alone", () => {
    for (const text of ["pve-07 läuft", "узел 3", "ノード", "1.5 GiB (80 %)"]) assert.equal(terminalText(text), text);
  });
});
