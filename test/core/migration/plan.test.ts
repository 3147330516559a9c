// Checks what a plan says of an address that a running machine takes later.
import assert from "node:assert/strict";
import type { IpPlan } from "../../../src/core/addressing/ipPlan.js";
import { shownIpPlan } from "../../../src/core/migration/plan.js";

const reassigned: IpPlan = {
  kind: "reassign",
  currentAddress: "10.0.0.9",
  newAddress: "10.1.0.5",
  zoneId: 2,
  explanation: "10.0.0.9 of zone a becomes 10.1.0.5 of zone b",
};

describe("core/migration/plan", () => {
  it("says of a machine that moves live when it takes its new address", () => {
    assert.deepEqual(shownIpPlan(reassigned, "live"), {
      ...reassigned,
      explanation:
        "10.0.0.9 of zone a becomes 10.1.0.5 of zone b at the machine's next start: until then it goes on with the old one",
    });
  });

  it("has nothing to add for a guest that starts on the target, or keeps its address", () => {
    assert.equal(shownIpPlan(reassigned, "restart"), reassigned);
    assert.equal(shownIpPlan(reassigned, "offline"), reassigned);
    const kept: IpPlan = { ...reassigned, kind: "keep" };
    assert.equal(shownIpPlan(kept, "live"), kept);
  });
});
