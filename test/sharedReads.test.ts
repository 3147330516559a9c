// Readings that are shared: one for all who ask the same at the same time, none that began before its caller asked.
import assert from "node:assert/strict";
import type { Pool } from "pg";
import { Departure } from "../src/db/departure.js";
import { openPool } from "../src/db/pool.js";
import { sharedReads } from "../src/sharedReads.js";
import { createTestDatabase, type TestDatabase } from "./support/database.js";
import { eventually } from "./support/eventually.js";
import { silentLog } from "./support/log.js";

const LONG = 120_000;
const LEFT = new Error("left");
/** Which reading it was, and how many were given up: sequences go on whatever becomes of the statement. */
const NUMBER = { text: "select nextval('readings')::int as number" };
/** Waits while somebody holds the lock, so that a test decides when the reading ends. */
const HELD = {
  text: "select nextval('readings')::int as number, pg_advisory_lock_shared(1), pg_advisory_unlock_shared(1)",
};

interface Numbered {
  readonly number: number;
}

describe("sharedReads", () => {
  let database: TestDatabase;
  let pool: Pool;
  before(async () => {
    database = await createTestDatabase();
    await database.pool.query("create sequence readings");
  });
  beforeEach(async () => {
    const patience = { connectMs: LONG, statementMs: LONG };
    pool = openPool({ url: database.url, purpose: "shared", size: 4, log: silentLog, patience });
    await database.pool.query("select setval('readings', 1, false)");
  });
  afterEach(() => pool.end());
  after(() => database.close());

  const read = async (statement: { readonly text: string }, departure?: Departure): Promise<number | undefined> => {
    const [row] = await sharedReads(pool).rows<Numbered>(statement.text, statement, departure);
    return row?.number;
  };

  /** Holds back readings of `HELD` while it acts; they end when it has. */
  async function whileHeld(act: () => Promise<void>): Promise<void> {
    const holder = await database.pool.connect();
    try {
      await holder.query("select pg_advisory_lock(1)");
      await act();
    } finally {
      await holder.query("select pg_advisory_unlock_all()");
      holder.release();
    }
  }

  const running = async (): Promise<number> => {
    const { rowCount } = await database.pool.query(
      "select from pg_stat_activity where application_name = 'drover shared' and state = 'active' and query = $1",
      [HELD.text],
    );
    return rowCount ?? 0;
  };
  const untilRunning = () => eventually(async () => assert.equal(await running(), 1));

  it("reads once for all who ask at the same time", async () => {
    assert.deepEqual(await Promise.all([read(NUMBER), read(NUMBER), read(NUMBER, new Departure())]), [1, 1, 1]);
  });

  it("reads again for who asks later", async () => {
    assert.deepEqual([await read(NUMBER), await read(NUMBER)], [1, 2]);
  });

  it("reads apart what has other keys", async () => {
    const { text } = NUMBER;
    const rows = await Promise.all(["a", "b"].map((key) => sharedReads(pool).rows<Numbered>(key, { text })));
    assert.deepEqual(
      rows
        .flat()
        .map(({ number }) => number)
        .toSorted((left, right) => left - right),
      [1, 2],
    );
  });

  it("gives who asks during a reading the next one, all of them the same", async () => {
    let asked: Promise<number | undefined>[] = [];
    await whileHeld(async () => {
      asked = [read(HELD)];
      await untilRunning();
      asked.push(read(HELD), read(HELD, new Departure()));
    });
    assert.deepEqual(await Promise.all(asked), [1, 2, 2]);
  });

  it("reads again after a reading that failed, and tells its fault to those alone who waited for it", async () => {
    const failing = { text: "select 1 / (nextval('readings') - 1)::int as number" };
    const first = await Promise.allSettled([read(failing), read(failing)]);
    assert.deepEqual(
      first.map(({ status }) => status),
      ["rejected", "rejected"],
    );
    assert.equal(await read(failing), 1);
  });

  it("reads on for who stays when others leave", async () => {
    const departure = new Departure();
    await whileHeld(async () => {
      const [leaving, staying] = [read(HELD, departure), read(HELD, new Departure())];
      await untilRunning();
      departure.leave(LEFT);
      await assert.rejects(leaving, LEFT);
      assert.equal(await running(), 1);
      void staying.catch(() => undefined);
    });
    assert.equal(await read(HELD), 2);
  });

  it("gives up a reading that all have left", async () => {
    const departures = [new Departure(), new Departure()];
    await whileHeld(async () => {
      const asked = departures.map((departure) => read(HELD, departure));
      await untilRunning();
      for (const departure of departures) departure.leave(LEFT);
      await Promise.all(asked.map((each) => assert.rejects(each, LEFT)));
      await eventually(async () => assert.equal(await running(), 0));
    });
  });

  it("reads for who asks after all who were to share his reading have left", async () => {
    const departure = new Departure();
    let asked: Promise<number | undefined>[] = [];
    await whileHeld(async () => {
      asked = [read(HELD)];
      await untilRunning();
      const leaving = read(HELD, departure);
      departure.leave(LEFT);
      await assert.rejects(leaving, LEFT);
      asked.push(read(HELD));
    });
    assert.deepEqual(await Promise.all(asked), [1, 2]);
  });

  it("refuses who had left before he asked", async () => {
    const departure = new Departure();
    departure.leave(LEFT);
    const [left, stayed] = await Promise.allSettled([read(NUMBER, departure), read(NUMBER)]);
    assert.equal(left.status, "rejected");
    assert.deepEqual(stayed, { status: "fulfilled", value: 1 });
  });
});
