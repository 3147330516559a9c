// Checks what becomes of a guest's address on the target.
import assert from "node:assert/strict";
import { planAddress, planAddressesInTurn, type TargetZone } from "../../../src/core/addressing/ipPlan.js";

const current = { address: "10.0.0.5", zoneName: "east" };
const zone = (change: Partial<TargetZone> = {}): TargetZone => ({
  id: 7,
  name: "west",
  canKeep: false,
  nextFree: "10.1.0.9",
  ...change,
});

const given = (...turns: Parameters<typeof planAddressesInTurn>[0]) =>
  planAddressesInTurn(turns, new Map([[7, ["10.1.0.9", "10.1.0.10"]]])).map(({ plan }) => plan.newAddress);

describe("core/addressing/ipPlan", () => {
  it("leaves DHCP and manual addresses alone, whatever zones there are", () => {
    const { plan, problem } = planAddress(null, [zone({ nextFree: null })]);
    assert.deepEqual([plan.kind, plan.newAddress, problem], ["untouched", null, null]);
  });
  it("keeps an address that a target zone covers and has free, before any other", () => {
    const { plan, problem } = planAddress(current, [zone(), zone({ id: 8, name: "same", canKeep: true })]);
    assert.deepEqual([plan.kind, plan.newAddress, plan.zoneId, problem], ["keep", "10.0.0.5", 8, null]);
    assert.equal(plan.explanation, "10.0.0.5 is kept: it is free in zone same of the target");
  });
  it("else takes the next free address of the first zone that has one", () => {
    const { plan, problem } = planAddress(current, [zone({ nextFree: null }), zone({ id: 9, name: "north" })]);
    assert.deepEqual([plan.kind, plan.newAddress, plan.zoneId, problem], ["reassign", "10.1.0.9", 9, null]);
    assert.equal(plan.explanation, "10.0.0.5 of zone east becomes 10.1.0.9 of zone north");
  });
  it("has a problem when every zone is full, or none exists", () => {
    assert.deepEqual(planAddress(current, [zone({ nextFree: null })]).problem, {
      code: "IP_ZONE_FULL",
      message: "no free address on the target in west",
    });
    assert.equal(planAddress(current, []).problem?.code, "IP_ZONE_MISSING");
  });

  describe("of several guests in turn", () => {
    const west = { id: 7, name: "west", canKeep: false };
    const same = { id: 8, name: "same", canKeep: true };
    it("gives each another address of a zone, until none is left", () => {
      const turn = { current, zones: [west] };
      assert.deepEqual(given(turn, turn, turn), ["10.1.0.9", "10.1.0.10", null]);
    });
    it("lets one keep an address, and no later one", () => {
      const turn = { current, zones: [west, same] };
      assert.deepEqual(given(turn, turn), ["10.0.0.5", "10.1.0.9"]);
    });
    it("leaves a guest alone that has no address of a zone", () => {
      assert.deepEqual(given({ current: null, zones: [same] }, { current, zones: [west] }), [null, "10.1.0.9"]);
    });
  });
});
