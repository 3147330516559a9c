// How long refusals wait: not at all for who is refused seldom, a second at most, and each caller for its own unless many are not known.
import assert from "node:assert/strict";
import { agentCaller, sourceCaller, type Caller } from "../../../src/access/admission/caller.js";
import { RefusalPace } from "../../../src/access/admission/refusalPace.js";
import { refusalsPaced } from "../../../src/observability/metrics.js";

const paced = async (): Promise<number> => (await refusalsPaced.get()).values[0]?.value ?? 0;

const [ONE, ANOTHER] = [sourceCaller("198.51.100.1"), sourceCaller("198.51.100.2")];

/** Counts so many refusals of a caller at a moment. @returns the last pause */
function refuse(pace: RefusalPace, caller: Caller, count: number, now = 0): number {
  let pauseMs = 0;
  for (let refused = 0; refused < count; refused++) pauseMs = pace.pauseMs(caller, now);
  return pauseMs;
}

describe("access/admission/refusalPace", () => {
  it("answers who is refused seldom at once, and who goes on as often as it may be", () => {
    const pace = new RefusalPace();
    assert.equal(refuse(pace, ONE, 100), 0);
    assert.equal(refuse(pace, ONE, 1), 20);
    assert.equal(refuse(pace, ONE, 1), 40);
    assert.equal(refuse(pace, ONE, 1, 1_000), 0);
  });

  it("has no caller wait longer than a second, and forgets what was beyond", () => {
    const pace = new RefusalPace();
    assert.equal(refuse(pace, ONE, 300), 1_000);
    assert.equal(refuse(pace, ONE, 1, 1_000), 20);
  });

  it("lets one source wait for itself, and all of them when there are many", () => {
    const pace = new RefusalPace();
    assert.equal(refuse(pace, ONE, 1_000), 1_000);
    assert.equal(refuse(pace, ANOTHER, 1), 0);
    for (let source = 0; source < 299; source++) assert.equal(refuse(pace, sourceCaller(`203.0.113.${source}`), 1), 0);
    assert.equal(refuse(pace, sourceCaller("192.0.2.1"), 1), 5);
    assert.equal(refuse(pace, agentCaller(1), 1), 0, "who is known waits for its own refusals only");
    assert.equal(refuse(pace, agentCaller(1), 100), 20);
  });

  it("counts what waits", async () => {
    const before = await paced();
    refuse(new RefusalPace(), ONE, 103);
    assert.equal((await paced()) - before, 3);
  });
});
