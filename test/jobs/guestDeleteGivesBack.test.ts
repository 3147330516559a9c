// What the deletion of a guest gives back: room, addresses, public ports, whatever happens to them meanwhile.
import assert from "node:assert/strict";
import { runJob } from "../../jobs/engine/executor.js";
import { meet } from "../support/meet.js";
import { jobRow, openStage, type Stage } from "./creation.js";
import { placeToDelete, placeUnseen, queueDeletion, removeByJob } from "./deletion.js";
import { executorFor } from "./killing.js";

describe("deleting a guest gives back", () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage.close());

  it("the room that was promised to a guest which no sync has seen", async () => {
    const { pool } = stage.services;
    placeUnseen(stage, 310);
    await pool.query(
      `insert into guest (host_id, node_id, type, vmid, name, status, cores, memory_mb, disk_bytes)
       select host_id, id, 'qemu', 310, 'g310', 'running', 1, 128, 1 from node`,
    );
    await pool.query(
      `with made as (
         insert into job (kind, status, host_id, vmid, guest_id, finished_at)
         select 'guest_create', 'done', host_id, vmid, id, now() from guest where vmid = 310 returning id)
       insert into capacity_reservation (job_id, node_id, storage, memory_mb, disk_bytes)
       select made.id, node.id, 'local', 128, 1 from made, node`,
    );
    assert.equal((await removeByJob(stage, 310))["error"], null);
    assert.equal((await pool.query(`select 1 from capacity_reservation`)).rowCount, 0);
  });

  it("its addresses and public ports, and has the agent close them", async () => {
    await placeToDelete(stage, 302);
    const { pool } = stage.services;
    await pool.query(
      `with zone as (insert into ip_zone (host_id, name, cidr, range_start, range_end, bridge, total, next_candidate)
           values ($1, 'z', '192.0.2.0/24', '192.0.2.2', '192.0.2.9', 'vmbr0', 8, '192.0.2.3') returning id),
         taken as (insert into ip_address (zone_id, address, guest_id) select zone.id, '192.0.2.2', g.id from zone, guest g where g.vmid = 302)
       insert into port_forward (node_id, guest_id, protocol, public_port, guest_port, guest_address)
       select node_id, id, 'tcp', 2222, 22, '192.0.2.2' from guest where vmid = 302`,
      [stage.hostId],
    );
    assert.equal((await removeByJob(stage, 302))["error"], null);
    const { rows } = await pool.query(
      `select used::int, (select host(min(address)) from ip_zone_returned) as next, (select count(*)::int from port_forward) as forwards,
         (select json_agg(payload->'forwards') from agent_job) as orders from ip_zone`,
    );
    assert.deepEqual(rows, [{ used: 0, next: "192.0.2.2", forwards: 0, orders: [[]] }]);
  });

  it("a public port that it is given meanwhile", async () => {
    await placeToDelete(stage, 313, { status: "stopped" });
    const jobId = await queueDeletion(stage, 313);
    const { pool } = stage.services;
    await meet(
      pool,
      async (client) => {
        await client.query(
          `select from node where id = (select node_id from guest where vmid = 313) for no key update`,
        );
        await client.query(`select from guest where vmid = 313 for no key update`);
        await client.query(
          `insert into port_forward (node_id, guest_id, protocol, public_port, guest_port, guest_address)
           select node_id, id, 'tcp', 3313, 22, '192.0.2.3' from guest where vmid = 313`,
        );
      },
      [() => runJob(executorFor(stage.services, "test"), jobId)],
    );
    assert.equal((await jobRow(stage, jobId))["status"], "done");
    assert.deepEqual((await pool.query(`select public_port from port_forward where public_port = 3313`)).rows, []);
  });

  it("its addresses while its owner is deleted", async () => {
    await placeToDelete(stage, 312, { status: "stopped" });
    const { pool } = stage.services;
    await pool.query(
      `with owner as (insert into user_account (email, username, role, password_hash) values ('o@x', 'leaving', 'customer', '') returning id)
       update guest set owner_id = owner.id from owner where vmid = 312`,
    );
    await pool.query(
      `with zone as (insert into ip_zone (host_id, name, cidr, range_start, range_end, bridge, total, next_candidate)
           values ($1, 'owned', '198.51.100.0/24', '198.51.100.2', '198.51.100.9', 'vmbr0', 8, '198.51.100.3') returning id)
       insert into ip_address (zone_id, address, guest_id) select zone.id, '198.51.100.2', g.id from zone, guest g where g.vmid = 312`,
      [stage.hostId],
    );
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
