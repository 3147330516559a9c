// Counting the requests that wait for the service.
import assert from "node:assert/strict";
import { RequestsPresent } from "../../../src/access/admission/requestsPresent.js";

describe("access/admission/requestsPresent", () => {
  it("counts those that are there, and those that came and went since the last look", () => {
    const present = new RequestsPresent();
    const first = present.enter();
    present.enter()();
    present.enter()();
    assert.equal(present.sinceLast(), 3);
    assert.equal(present.sinceLast(), 1);
    first();
    assert.equal(present.sinceLast(), 1, "it was there after the last look");
    assert.equal(present.sinceLast(), 0);
  });
});
