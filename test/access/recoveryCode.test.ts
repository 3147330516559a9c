// Recovery codes: how they look, and which ways of typing one are the same.
import assert from "node:assert/strict";
import { hashRecoveryCode, newRecoveryCodes } from "../../src/access/recoveryCode.js";

describe("access/recoveryCode", () => {
  it("are ten, all different, of sixteen letters and digits that nobody mistakes for each other", () => {
    const codes = newRecoveryCodes();
    assert.equal(new Set(codes).size, 10);
    for (const code of codes) assert.match(code, /^([a-km-np-z2-9]{4}-){3}[a-km-np-z2-9]{4}$/);
  });

  it("are the same in other case, and without or with other gaps", () => {
    const [code = "", other = ""] = newRecoveryCodes();
    for (const typed of [code.toUpperCase(), code.replaceAll("-", ""), ` ${code.replaceAll("-", " ")}\n`])
      assert.equal(hashRecoveryCode(typed), hashRecoveryCode(code));
    assert.notEqual(hashRecoveryCode(other), hashRecoveryCode(code));
    assert.notEqual(hashRecoveryCode(code.slice(0, -1)), hashRecoveryCode(code));
  });
});
