// The bound on how many requests are worked on at once.
import assert from "node:assert/strict";
import { DroverError } from "../../../src/errors/errors.js";
import { refusalUnder, Slots } from "../../../src/access/admission/slots.js";

describe("access/admission/slots", () => {
  it("are given up to the limit, and again when one comes back", () => {
    const slots = new Slots(2);
    const giveBack = slots.take();
    slots.take();
    assert.throws(() => slots.take(), DroverError);
    giveBack();
    slots.take();
    assert.throws(() => slots.take(), DroverError);
  });

  it("refuse with the time after which a retry makes sense", () => {
    assert.throws(() => new Slots(0).take(), { kind: "unavailable", reason: "BUSY", retryAfterSeconds: 1 });
  });

  it("are not asked for while the pressure is too high", () => {
    const refused = refusalUnder({ isTooHigh: true });
    assert.deepEqual([refused?.kind, refused?.reason, refused?.retryAfterSeconds], ["unavailable", "BUSY", 2]);
    assert.equal(refusalUnder({ isTooHigh: false }), null);
  });
});
