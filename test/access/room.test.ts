// The bound on what a door works on at once.
import assert from "node:assert/strict";
import { DroverError } from "../../src/errors.js";
import { noRoom, Room } from "../../src/access/room.js";

describe("access/room", () => {
  it("lets in as many as there is room for, and the next when one has left", () => {
    const room = new Room(2);
    const [first, second] = [room.enter(), room.enter()];
    assert.ok(typeof first === "function" && typeof second === "function");
    assert.ok(room.enter() instanceof DroverError);
    first();
    assert.equal(typeof room.enter(), "function");
    assert.ok(room.enter() instanceof DroverError);
  });

  it("lets nobody in while the pressure is too high", () => {
    const pressure = { isTooHigh: true };
    const room = new Room(1, pressure);
    const refused = room.enter();
    assert.ok(refused instanceof DroverError);
    assert.deepEqual([refused.kind, refused.reason, refused.retryAfterSeconds], ["unavailable", "BUSY", 2]);
    pressure.isTooHigh = false;
    assert.equal(typeof room.enter(), "function");
  });

  it("says when to come again", () => {
    const { kind, reason, retryAfterSeconds } = noRoom();
    assert.deepEqual([kind, reason, retryAfterSeconds], ["unavailable", "BUSY", 1]);
  });
});
