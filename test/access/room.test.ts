// The bound on what a door works on at once.
import assert from "node:assert/strict";
import { noRoom, Room } from "../../src/access/room.js";

describe("access/room", () => {
  it("lets in as many as there is room for, and the next when one has left", () => {
    const room = new Room(2);
    const [first, second] = [room.enter(), room.enter()];
    assert.ok(first !== null && second !== null);
    assert.equal(room.enter(), null);
    first();
    assert.notEqual(room.enter(), null);
    assert.equal(room.enter(), null);
  });

  it("says when to come again", () => {
    const { kind, reason, retryAfterSeconds } = noRoom();
    assert.deepEqual([kind, reason, retryAfterSeconds], ["unavailable", "BUSY", 1]);
  });
});
