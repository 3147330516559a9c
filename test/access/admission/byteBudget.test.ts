// The bytes of bodies that are held at once.
import assert from "node:assert/strict";
import { ByteBudget } from "../../../src/access/admission/byteBudget.js";
import { agentCaller, sourceCaller } from "../../../src/access/admission/caller.js";

const MIB = 1024 * 1024;
const BUSY = { kind: "unavailable", reason: "BUSY" };

describe("access/admission/byteBudget", () => {
  it("bounds each caller, who may hold more when something is released", () => {
    const budget = new ByteBudget();
    const caller = agentCaller(1);
    budget.hold(caller, 32 * MIB);
    assert.throws(() => budget.hold(caller, 1), BUSY);
    budget.hold(agentCaller(2), MIB);
    budget.release(caller, 1);
    budget.hold(caller, 1);
  });

  it("bounds unknown callers together, without a loss for the others", () => {
    const budget = new ByteBudget();
    for (let source = 1; source <= 8; source++) budget.hold(sourceCaller(`192.0.2.${source}`), 4 * MIB);
    assert.throws(() => budget.hold(sourceCaller("192.0.2.9"), 1), BUSY);
    budget.hold(agentCaller(1), MIB);
  });

  it("has room for all again when everything is released", () => {
    const budget = new ByteBudget();
    const callers = Array.from({ length: 8 }, (_, node) => agentCaller(node));
    for (let round = 0; round < 3; round++) {
      for (const caller of callers) budget.hold(caller, 32 * MIB);
      assert.throws(() => budget.hold(agentCaller(9), 1), BUSY);
      for (const caller of callers) budget.release(caller, 32 * MIB);
    }
  });

  it("takes nothing from unknown callers for what known ones release", () => {
    const budget = new ByteBudget();
    budget.hold(agentCaller(1), 32 * MIB);
    budget.release(agentCaller(1), 32 * MIB);
    for (let source = 1; source <= 8; source++) budget.hold(sourceCaller(`192.0.2.${source}`), 4 * MIB);
    assert.throws(() => budget.hold(sourceCaller("192.0.2.9"), 1), BUSY);
  });

  it("bounds all", () => {
    const budget = new ByteBudget();
    for (let node = 1; node <= 8; node++) budget.hold(agentCaller(node), 32 * MIB);
    assert.throws(() => budget.hold(agentCaller(9), 1), BUSY);
  });
});
