// Has writers change the fleet at random, in transactions that overlap.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import type { Pool, PoolClient } from "pg";
import { LANES, writes } from "./fleetWrites.js";

/** A write in one of the lanes, or the end of a lane's transaction; how many processes look afterwards. */
type Command = { readonly looks: number } & (
  | { readonly write: string; readonly lane: number; readonly pick: number }
  | { readonly end: "commit" | "rollback"; readonly lane: number }
);

const looks = fc.integer({ min: 0, max: 2 });
const write: fc.Arbitrary<Command> = fc.record({
  looks,
  write: fc.constantFrom(...writes.keys()),
  lane: fc.nat({ max: LANES - 1 }),
  pick: fc.nat({ max: 1_000 }),
});
const ending: fc.Arbitrary<Command> = fc.record({
  looks,
  end: fc.constantFrom("commit" as const, "rollback" as const),
  lane: fc.integer({ min: 1, max: LANES - 1 }),
});

/** Writes and ends, as they may come. */
export const commands = fc.array(fc.oneof({ weight: 8, arbitrary: write }, { weight: 2, arbitrary: ending }), {
  minLength: 10,
  maxLength: 40,
});

/** Writers whose transactions overlap; the first lane commits every write at once. */
export class Lanes {
  readonly #clients = new Map<number, PoolClient>();

  constructor(
    private readonly pool: Pool,
    private readonly now: Date,
  ) {}

  async carryOut(command: Command): Promise<void> {
    if ("end" in command) return this.#end(command.lane, command.end);
    const { write: what, pick } = command;
    const made = writes.get(what) ?? assert.fail(what);
    if (made.alone) await this.end();
    const lane = made.alone ? 0 : command.lane;
    const database = lane === 0 ? this.pool : await this.#client(lane);
    await made.run(database, { lane, pick, now: this.now });
  }

  async end(): Promise<void> {
    for (const lane of this.#clients.keys()) await this.#end(lane, "commit");
  }

  async #client(lane: number): Promise<PoolClient> {
    const known = this.#clients.get(lane);
    if (known !== undefined) return known;
    const client = await this.pool.connect();
    await client.query("begin");
    this.#clients.set(lane, client);
    return client;
  }

  async #end(lane: number, how: "commit" | "rollback"): Promise<void> {
    const client = this.#clients.get(lane);
    if (client === undefined) return;
    this.#clients.delete(lane);
    await client.query(how);
    client.release();
  }
}
