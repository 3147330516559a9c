// What many keys may still spend, and how long that is remembered.
import assert from "node:assert/strict";
import { Allowances, type Allowance } from "../../src/concurrency/allowances.js";

const LIMITS = { mostAtOnce: 100, eachSecond: 20 };
const WHOLE_AGAIN_MS = 5_000;

/** Counts how many keys were looked at. */
class CountingKeys extends Map<number, Allowance> {
  looks = 0;

  override *entries(): MapIterator<[number, Allowance]> {
    for (const entry of super.entries()) {
      this.looks++;
      yield entry;
    }
  }
}

describe("concurrency/allowances", () => {
  it("are whole at first, and come back with time up to that", () => {
    const allowances = new Allowances<string>(LIMITS);
    assert.equal(allowances.leftOf("one", 0), 100);
    assert.equal(allowances.spend("one", 60, 0), 40);
    assert.equal(allowances.leftOf("one", 1_000), 60);
    assert.equal(allowances.leftOf("one", WHOLE_AGAIN_MS), 100);
    assert.equal(allowances.leftOf("another", 0), 100);
  });

  it("are overspent as far as they may be, and no further", () => {
    const allowances = new Allowances<string>({ ...LIMITS, mostDebt: 10 });
    assert.equal(allowances.spend("one", 105, 0), -5);
    assert.equal(allowances.spend("one", 100, 0), -10);
    assert.equal(allowances.leftOf("one", 1_000), 10);
    assert.equal(new Allowances<string>(LIMITS).spend("one", 200, 0), 0);
  });

  it("look at a few keys with each spending, however many there are", () => {
    const keys = new CountingKeys();
    const allowances = new Allowances(LIMITS, keys);
    for (let key = 1; key <= 60_000; key++) allowances.spend(key, 65, 0);
    assert.equal(keys.size, 60_000);
    assert.ok(keys.looks > 0 && keys.looks <= 4 * 40_001, String(keys.looks));
  });

  it("forget keys whose allowance is whole, while others come", () => {
    const keys = new CountingKeys();
    const allowances = new Allowances(LIMITS, keys);
    for (let key = 1; key <= 60_000; key++) allowances.spend(key, 65, 0);
    for (let key = 1; key <= 60_000; key++) allowances.spend(-key, 65, WHOLE_AGAIN_MS);
    assert.ok(keys.size <= 60_000, String(keys.size));
    assert.ok(![...keys.keys()].some((key) => key > 0));
    assert.equal(allowances.leftOf(-1, WHOLE_AGAIN_MS), 35);
  });
});
