// What happens to a guest between the plan of its move and its start, and while it moves.
import assert from "node:assert/strict";
import { createPortForward } from "../../../src/actions/host/portForward.js";
import { planMigration } from "../../../src/actions/migration/plan.js";
import { startMove } from "../../../src/actions/migration/start.js";
import type { Context } from "../../../src/context.js";
import { guestLock } from "../../../src/core/guest/lock.js";
import { meet } from "../../support/meet.js";
import { refusedAs } from "../../support/refusal.js";
import { contextFor } from "../../support/viewers.js";
import {
  beat,
  leftovers,
  moveInput,
  NOTHING_LEFT,
  openMoveStage,
  placeAndSync,
  queueMove,
  type MoveStage,
} from "./stage.js";

const NO_RUN = { run: { evacuationId: null, balanceRunId: null }, bandwidthMib: null };

describe("a guest whose move is planned", function () {
  this.timeout(120_000);
  let stage: MoveStage;
  let context: Context;
  before(async () => {
    stage = await openMoveStage();
    context = await contextFor(stage.services);
  });
  after(() => stage.close());

  const container = (vmid: number): Promise<number> =>
    placeAndSync(stage, {
      type: "lxc",
      vmid,
      status: "running",
      config: { net0: `name=eth0,bridge=vmbr0,ip=10.0.0.${vmid - 100}/24,type=veth` },
    });

  const planned = async (guestId: number) => {
    await beat(stage);
    return planMigration(context, moveInput(stage, guestId));
  };

  const forward = (guestId: number) => createPortForward(context, { guestId, protocol: "tcp", guestPort: 22 });

  it("does not move when it has got a port forward since: that would stay behind", async () => {
    const guestId = await container(150);
    await forward(guestId);
    const before = await planned(guestId);
    await forward(guestId);
    const { reason } = await refusedAs("conflict", startMove(context, before, NO_RUN));
    assert.equal(reason, "PLAN_OUTDATED");
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
    assert.ok((await startMove(context, await planned(guestId), NO_RUN)) > 0);
  });

  it("does not move when it gets a port forward at the same time", async () => {
    const guestId = await container(154);
    const before = await planned(guestId);
    const [outcome] = await meet(
      stage.services.pool,
      async (client) => {
        await client.query(`select from guest where id = $1 for no key update`, [guestId]);
        await client.query(
          `insert into port_forward (node_id, guest_id, protocol, public_port, guest_port, guest_address)
           select node_id, id, 'tcp', 12345, 22, '10.0.0.54' from guest where id = $1`,
          [guestId],
        );
      },
      [() => startMove(context, before, NO_RUN)],
    );
    assert.ok(outcome?.status === "rejected");
    assert.equal(outcome.reason.reason, "PLAN_OUTDATED");
  });

  it("does not move from where it is no longer", async () => {
    const guestId = await container(151);
    const before = await planned(guestId);
    await stage.services.pool.query(`update guest set vmid = 251 where id = $1`, [guestId]);
    const { reason } = await refusedAs("conflict", startMove(context, before, NO_RUN));
    assert.equal(reason, "PLAN_OUTDATED");
  });

  it("gets no port forwards while it moves", async () => {
    const guestId = await container(152);
    await queueMove(stage, guestId);
    assert.equal((await refusedAs("conflict", forward(guestId))).reason, "GUEST_BUSY");
  });

  it("gets none while its move starts", async () => {
    const guestId = await container(153);
    const [outcome] = await meet(
      stage.services.pool,
      async (client) => {
        await client.query(`select from guest where id = $1 for no key update`, [guestId]);
        await client.query(
          `with made as (insert into job (kind, host_id, vmid) values ('migration', $1, 153) returning id)
           insert into resource_lock (key, job_id) select $2, id from made`,
          [stage.source.hostId, guestLock(stage.source.hostId, 153)],
        );
      },
      [() => forward(guestId)],
    );
    assert.ok(outcome?.status === "rejected");
    assert.equal(outcome.reason.reason, "GUEST_BUSY");
  });
});
