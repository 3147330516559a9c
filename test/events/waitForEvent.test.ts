// Waiting for announcements of the database: looked at when something was said, and never in between.
import assert from "node:assert/strict";
import { waitForEvent, type AwaitedEvent } from "../../src/events/waitForEvent.js";
import { createTestServices, type TestServices } from "../support/services.js";
import { until } from "../support/until.js";

describe("events/waitForEvent", () => {
  let services: TestServices;
  before(async () => {
    services = await createTestServices();
  });
  after(() => services.close());

  const announce = (topic: string, id: number): Promise<unknown> =>
    services.pool.query(`select announce($1, $2)`, [topic, id]);

  /** Waits for an answer that is there at the given look. */
  const awaitAt = (wanted: number, news: Partial<AwaitedEvent> = {}) => {
    let looks = 0;
    const answer = waitForEvent(services.events, { topic: "migration", id: 7, ...news }, () =>
      Promise.resolve(++looks === wanted ? "there" : null),
    );
    return { answer, looks: () => looks };
  };

  it("answers at once when the answer is there", async () => {
    assert.equal(await awaitAt(1).answer, "there");
  });

  it("looks again when its record is announced, and at no other time", async () => {
    const { answer, looks } = awaitAt(2);
    // An announcement of its own tells that those before it have arrived.
    const heard = new Promise<void>((resolve) => services.events.on("run", () => resolve()));
    await announce("migration", 8);
    await announce("job", 7);
    await announce("run", 1);
    await heard;
    assert.equal(looks(), 1);
    await announce("migration", 7);
    assert.equal(await answer, "there");
    assert.equal(looks(), 2);
  });

  it("looks again after the connection for announcements was lost", async () => {
    const { answer } = awaitAt(2);
    await services.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'drover events'`,
    );
    assert.equal(await answer, "there");
  });

  it("gives up when the time is up, after a last look", async () => {
    const { answer, looks } = awaitAt(0, { timeoutMs: 30 });
    assert.equal(await answer, null);
    assert.equal(looks(), 2);
  });

  it("ends with the signal", async () => {
    const stop = new AbortController();
    const { answer, looks } = awaitAt(0, { signal: stop.signal });
    await until("it has looked", () => looks() === 1);
    stop.abort(new Error("stopped"));
    await assert.rejects(answer, /stopped/);
  });
});
