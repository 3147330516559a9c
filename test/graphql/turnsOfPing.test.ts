// Every connection has its turn, and a part of them only at a time.
import assert from "node:assert/strict";
import { mock } from "node:test";
import { TurnsOfPing } from "../../graphql/turnsOfPing.js";

const SECOND_MS = 1000;
/** Seconds between two turns of one connection. */
const PING_SECONDS = 12;

describe("graphql/turnsOfPing", () => {
  let turns: TurnsOfPing;
  beforeEach(() => {
    mock.timers.enable({ apis: ["setInterval"] });
    turns = new TurnsOfPing();
  });
  afterEach(() => {
    turns.close();
    mock.timers.reset();
  });

  class Connection {
    looks = 0;
    readonly leave = turns.add(this);

    look(): void {
      this.looks += 1;
    }
  }

  it("come every twelve seconds, the first after as long", () => {
    seconds(5);
    const connection = new Connection();
    seconds(PING_SECONDS - 1);
    assert.equal(connection.looks, 0);
    seconds(1);
    assert.equal(connection.looks, 1);
    seconds(PING_SECONDS);
    assert.equal(connection.looks, 2);
  });

  it("are at other seconds for who came at another one", () => {
    const early = new Connection();
    seconds(4);
    const late = new Connection();
    seconds(PING_SECONDS - 4);
    assert.deepEqual([early.looks, late.looks], [1, 0]);
    seconds(4);
    assert.deepEqual([early.looks, late.looks], [1, 1]);
  });

  it("end with the connection", () => {
    const connection = new Connection();
    connection.leave();
    seconds(2 * PING_SECONDS);
    assert.equal(connection.looks, 0);
  });
});

const seconds = (count: number): void => mock.timers.tick(count * SECOND_MS);
