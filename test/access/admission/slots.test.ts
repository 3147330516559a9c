// The bound on how many requests are in progress at once.
import assert from "node:assert/strict";
import { DroverError } from "../../../src/errors/errors.js";
import { AdmissionLimit, tooManyAtOnce } from "../../../src/access/admission/slots.js";

describe("access/admissionLimit", () => {
  it("admits up to the limit, and the next when one has ended", () => {
    const limit = new AdmissionLimit(2);
    const [first, second] = [limit.enter(), limit.enter()];
    assert.ok(typeof first === "function" && typeof second === "function");
    assert.ok(limit.enter() instanceof DroverError);
    first();
    assert.equal(typeof limit.enter(), "function");
    assert.ok(limit.enter() instanceof DroverError);
  });

  it("admits nobody while the pressure is too high", () => {
    const pressure = { isTooHigh: true };
    const limit = new AdmissionLimit(1, pressure);
    const refused = limit.enter();
    assert.ok(refused instanceof DroverError);
    assert.deepEqual([refused.kind, refused.reason, refused.retryAfterSeconds], ["unavailable", "BUSY", 2]);
    pressure.isTooHigh = false;
    assert.equal(typeof limit.enter(), "function");
  });

  it("tells a refused caller when to try again", () => {
    const { kind, reason, retryAfterSeconds } = tooManyAtOnce();
    assert.deepEqual([kind, reason, retryAfterSeconds], ["unavailable", "BUSY", 1]);
  });
});
