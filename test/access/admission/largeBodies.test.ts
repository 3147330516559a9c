// In which turns of the event loop large bodies are worked on.
import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { agentCaller, type Caller } from "../../../src/access/admission/caller.js";
import { LargeBodies } from "../../../src/access/admission/largeBodies.js";

const SMALL = 16 * 1024;
const LARGE = SMALL + 1;
const [ONE, TWO] = [agentCaller(1), agentCaller(2)];

describe("access/admission/largeBodies", () => {
  let bodies: LargeBodies;
  let begun: string[];
  beforeEach(() => {
    bodies = new LargeBodies();
    begun = [];
  });

  const send = (caller: Caller, bytes: number, count: number): void => {
    for (let sent = 0; sent < count; sent++) void bodies.turn(caller, bytes).then(() => begun.push(caller.key));
  };

  it("begins one in each turn, and small ones at once", async () => {
    send(ONE, LARGE, 50);
    send(ONE, SMALL, 3);
    for (let turns = 1; turns <= 47; turns++) {
      await turn();
      // The three small ones, and at most one for each turn and for the one before the first.
      assert.ok(begun.length <= 3 + 1 + turns, `${begun.length} in ${turns} turns`);
    }
    while (begun.length < 53) await turn();
  });

  it("begins another caller's second, however many came before it", async () => {
    send(ONE, LARGE, 50);
    send(TWO, LARGE, 1);
    while (!begun.includes(TWO.key)) await turn();
    assert.ok(begun.length <= 3, String(begun.length));
  });
});
