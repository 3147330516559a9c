// What the deletion of a guest gives back: room, addresses, public ports, whatever happens to them meanwhile.
import assert from "node:assert/strict";
import { runJob } from "../../jobs/engine/executor.js";
import { meet } from "../support/meet.js";
import { plant, planted } from "../support/rows.js";
import { jobRow, openStage, type Stage } from "./creation.js";
import { placeToDelete, placeUnseen, queueDeletion, removeByJob } from "./deletion.js";
import { executorFor } from "./killing.js";

describe("deleting a guest releases", () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage.close());

  const idOf = async (vmid: number): Promise<number> => {
    const { rows } = await stage.services.pool.query<{ id: number }>(`select id from guest where vmid = $1`, [vmid]);
    return rows[0]?.id ?? assert.fail();
  };

  /** Gives the guest the first address of a new zone. */
  const giveAddress = async (guest_id: number, name: string, network: string): Promise<void> => {
    const [cidr, first, second, last] = ["0/24", "2", "3", "9"].map((end) => `${network}.${end}`);
    const range = { cidr, range_start: first, range_end: last, next_candidate: second };
    const { id } = await planted(stage.services.pool, "ip_zone", { name, ...range });
    await plant(stage.services.pool, { ip_address: [{ zone_id: id, address: first, guest_id }] });
  };

  it("the room that was reserved for a guest which no sync has seen", async () => {
    const { pool } = stage.services;
    placeUnseen(stage, 310);
    const guest = await planted(pool, "guest", { vmid: 310, status: "running" });
    const job = await planted(pool, "job", { status: "done", vmid: 310, guest_id: guest.id });
    await plant(pool, { capacity_reservation: [{ job_id: job.id }] });
    assert.equal((await removeByJob(stage, 310))["error"], null);
    assert.equal((await pool.query(`select 1 from capacity_reservation`)).rowCount, 0);
  });

  it("its addresses and public ports, and has the agent close them", async () => {
    await placeToDelete(stage, 302);
    const { pool } = stage.services;
    const guest_id = await idOf(302);
    await giveAddress(guest_id, "z", "192.0.2");
    await plant(pool, { port_forward: [{ guest_id, public_port: 2222 }] });
    assert.equal((await removeByJob(stage, 302))["error"], null);
    const { rows } = await pool.query(
      `select used::int, (select host(min(address)) from ip_zone_returned) as next, (select count(*)::int from port_forward) as forwards,
         (select json_agg(payload->'forwards') from agent_job) as orders from ip_zone`,
    );
    assert.deepEqual(rows, [{ used: 0, next: "192.0.2.2", forwards: 0, orders: [[]] }]);
  });

  it("a public port that it is given meanwhile", async () => {
    await placeToDelete(stage, 313, { status: "stopped" });
    const guest_id = await idOf(313);
    const jobId = await queueDeletion(stage, 313);
    const { pool } = stage.services;
    await meet(
      pool,
      async (client) => {
        await client.query(
          `select from node where id = (select node_id from guest where vmid = 313) for no key update`,
        );
        await client.query(`select from guest where vmid = 313 for no key update`);
        await plant(client, { port_forward: [{ guest_id, public_port: 3313 }] });
      },
      [() => runJob(executorFor(stage.services, "test"), jobId)],
    );
    assert.equal((await jobRow(stage, jobId))["status"], "done");
    assert.deepEqual((await pool.query(`select public_port from port_forward where public_port = 3313`)).rows, []);
  });

  it("its addresses while its owner is deleted", async () => {
    await placeToDelete(stage, 312, { status: "stopped" });
    const { pool } = stage.services;
    const owner = await planted(pool, "user_account", { username: "leaving" });
    await pool.query(`update guest set owner_id = $1 where vmid = 312`, [owner.id]);
    await giveAddress(await idOf(312), "owned", "198.51.100");
    const jobId = await queueDeletion(stage, 312);
    await meet(
      pool,
      (client) => client.query(`select from guest where vmid = 312 for no key update`),
      [() => runJob(executorFor(stage.services, "test"), jobId)],
      (client) => client.query(`delete from user_account where username = 'leaving'`),
    );
    const { status, error } = await jobRow(stage, jobId);
    assert.deepEqual([status, error], ["done", null]);
    assert.deepEqual((await pool.query(`select used::int from ip_zone where name = 'owned'`)).rows, [{ used: 0 }]);
  });
});
