// Every connection is pinged once an interval, and only a part of them in each second.
import assert from "node:assert/strict";
import { mock } from "node:test";
import { PingSchedule } from "../../graphql/pingSchedule.js";

const SECOND_MS = 1000;
/** Seconds between two pings of one connection. */
const PING_SECONDS = 12;

describe("graphql/pingSchedule", () => {
  let schedule: PingSchedule;
  beforeEach(() => {
    mock.timers.enable({ apis: ["setInterval"] });
    schedule = new PingSchedule();
  });
  afterEach(() => {
    schedule.close();
    mock.timers.reset();
  });

  class Connection {
    looks = 0;
    readonly leave = schedule.add(this);

    look(): void {
      this.looks += 1;
    }
  }

  it("pings a connection every twelve seconds, the first time after a whole interval", () => {
    seconds(5);
    const connection = new Connection();
    seconds(PING_SECONDS - 1);
    assert.equal(connection.looks, 0);
    seconds(1);
    assert.equal(connection.looks, 1);
    seconds(PING_SECONDS);
    assert.equal(connection.looks, 2);
  });

  it("pings connections that came in different seconds in different seconds", () => {
    const early = new Connection();
    seconds(4);
    const late = new Connection();
    seconds(PING_SECONDS - 4);
    assert.deepEqual([early.looks, late.looks], [1, 0]);
    seconds(4);
    assert.deepEqual([early.looks, late.looks], [1, 1]);
  });

  it("pings a connection no more once it has left", () => {
    const connection = new Connection();
    connection.leave();
    seconds(2 * PING_SECONDS);
    assert.equal(connection.looks, 0);
  });
});

const seconds = (count: number): void => mock.timers.tick(count * SECOND_MS);
