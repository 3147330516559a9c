// Tests that no more is let through than a limit allows, whoever counts.
import assert from "node:assert/strict";
import { RequestLimit, type RateDecision } from "../../src/access/rateWindows.js";
import { countStatements } from "../support/statements.js";
import { createTestServices, type TestServices } from "../support/services.js";

describe("access/rateWindows", () => {
  let present = new Date("2026-11-21T12:00:20Z");
  const clock = { offsetSeconds: 0, now: () => present };
  let services: TestServices;
  before(async () => {
    services = await createTestServices({ clock });
  });
  after(() => services.close());
  beforeEach(() => (present = new Date("2026-11-21T12:00:20Z")));

  async function rows(key: string): Promise<{ used: number }[]> {
    return (await services.pool.query("select used from rate_window where key = $1 order by window_start", [key])).rows;
  }

  it("lets exactly the limit through when two processes count at once, and does not count what it refuses", async () => {
    const processes = [new RequestLimit(services), new RequestLimit(services)];
    const decisions = await Promise.all(
      Array.from({ length: 60 }, (_, index) => processes[index % 2]?.take("both", 25)).filter(
        (each) => each !== undefined,
      ),
    );
    assert.equal(admittedOf(decisions), 25);
    assert.deepEqual(await rows("both"), [{ used: 25 }]);
    const remaining = decisions.filter(({ admitted }) => admitted).map(({ state }) => state.remaining);
    assert.deepEqual(
      remaining.toSorted((a, b) => a - b),
      Array.from({ length: 25 }, (_, index) => index),
    );
  });

  for (const [second, secondsToNext] of [
    ["00.000", 60],
    ["00.001", 60],
    ["20.000", 40],
    ["59.001", 1],
    ["59.999", 1],
  ] as const) {
    it(`reports ${secondsToNext} s at second ${second}`, async () => {
      present = new Date(`2026-11-21T12:30:${second}Z`);
      const { state } = await new RequestLimit(services).take(`second ${second}`, 3);
      assert.deepEqual(state, { limit: 3, remaining: 2, secondsToNext });
    });
  }

  it("opens again with the next minute", async () => {
    const limit = new RequestLimit(services);
    assert.equal((await limit.take("next", 1)).admitted, true);
    assert.equal((await limit.take("next", 1)).admitted, false);
    present = new Date("2026-11-21T12:00:59.999Z");
    assert.equal((await limit.take("next", 1)).admitted, false);
    present = new Date("2026-11-21T12:01:00.000Z");
    assert.deepEqual(await limit.take("next", 1), {
      admitted: true,
      state: { limit: 1, remaining: 0, secondsToNext: 60 },
    });
  });

  it("lets more through as soon as the limit is raised", async () => {
    const limit = new RequestLimit(services);
    assert.equal((await limit.take("raised", 1)).admitted, true);
    assert.equal((await limit.take("raised", 1)).admitted, false);
    assert.equal((await limit.take("raised", 2)).admitted, true);
    assert.equal((await limit.take("raised", 2)).admitted, false);
  });

  it("asks the database no more about a window that it has found full", async () => {
    const limit = new RequestLimit(services);
    await limit.take("full", 1);
    await limit.take("full", 1);
    const statements = await countStatements(async () => {
      assert.equal((await limit.take("full", 1)).admitted, false);
    });
    assert.equal(statements, 0);
  });

  it("keeps few old windows", async () => {
    const limit = new RequestLimit(services);
    for (let minute = 0; minute < 10; minute++) {
      present = new Date(Date.UTC(2026, 10, 21, 13, minute));
      await limit.take("old", 5);
    }
    assert.ok((await rows("old")).length <= 2);
  });
});

const admittedOf = (decisions: readonly RateDecision[]): number => decisions.filter(({ admitted }) => admitted).length;
