// A simulated node takes the public keys that a real one takes, and no others.
import assert from "node:assert/strict";
import { checkSshKeys } from "../../../simulator/guests/sshKeys.js";
import { JUDGED } from "../../access/support/judgedKeys.js";

describe("simulator/guests/sshKeys", () => {
  for (const [what, line, fingerprint] of JUDGED) {
    // Each line is a key of its own, and an empty one is none.
    if (line.trim() === "" || line.trim().includes("\n")) continue;
    it(`MUST ${fingerprint === null ? "refuse" : "take"} ${what}`, () => {
      if (fingerprint === null) assert.throws(() => checkSshKeys(line), { message: "SSH public key validation error" });
      else checkSshKeys(line);
    });
  }

  it("MUST take a key behind options", () => {
    const [, line = ""] = JUDGED.find(([what]) => what === "Ed25519") ?? [];
    checkSshKeys(`from="192.0.2.1",restrict ${line}`);
  });
});
