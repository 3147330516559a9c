// Moves in which a step after the transfer breaks once: done with warnings, and a retry does what is missing without copying.
import assert from "node:assert/strict";
import { createIpZone } from "../../../src/actions/catalogue/ipZone.js";
import { retryMigration } from "../../../src/actions/migration/retry.js";
import { createPortForward } from "../../../src/actions/host/portForward.js";
import { control } from "../../inventory/support/control.js";
import { LeapableTime } from "../../support/handTime.js";
import { refusedAs } from "../../support/refusal.js";
import { planted } from "../../support/rows.js";
import { contextFor } from "../../support/viewers.js";
import {
  guestOn,
  leftovers,
  migrationRow,
  NOTHING_LEFT,
  openMoveStage,
  placeAndSync,
  queueMove,
  run,
  transfersOf,
  type MoveStage,
  type QueuedMove,
} from "./stage.js";
import { until } from "../../support/until.js";

describe("a move of which a step after the transfer breaks", function () {
  this.timeout(300_000);
  let stage: MoveStage;
  let vmid = 110;
  /** Leaps over pauses after failures; looks at what goes on come sooner. */
  const time = new LeapableTime({ leastMs: 500, mostMs: 15_000 });
  before(async () => {
    stage = await openMoveStage({ stopwatch: time });
    const context = await contextFor(stage.services);
    for (const [{ hostId }, network] of [
      [stage.source, "10.0.0"],
      [stage.target, "10.1.0"],
    ] as const) {
      const zone = { hostId, name: "lan", cidr: `${network}.0/24`, gateway: `${network}.1`, bridge: "vmbr0" };
      await createIpZone(context, zone);
    }
  });
  after(() => stage.close());

  /** A running container with an address, a port forward and an owner. */
  const place = async () => {
    const number = vmid++;
    const net0 = `name=eth0,bridge=vmbr0,ip=10.0.0.${number}/24,gw=10.0.0.1,type=veth`;
    const guestId = await placeAndSync(stage, { type: "lxc", vmid: number, status: "running", config: { net0 } });
    await createPortForward(await contextFor(stage.services), { guestId, protocol: "tcp", guestPort: 22 });
    const owner = await planted(stage.services.pool, "user_account", { username: `owner${number}` });
    await stage.services.pool.query(`update guest set owner_id = $2 where id = $1`, [guestId, owner.id]);
    return { vmid: number, guestId };
  };

  const stepsOf = async ({ migrationId }: QueuedMove): Promise<Record<string, string>> => {
    const { rows } = await stage.services.pool.query<{ name: string; status: string }>(
      `select s.name, s.status from job_step s join migration m on m.job_id = s.job_id where m.id = $1`,
      [migrationId],
    );
    return Object.fromEntries(rows.map(({ name, status }) => [name, status]));
  };

  const retry = async ({ migrationId }: QueuedMove): Promise<void> => {
    await retryMigration(await contextFor(stage.services), migrationId);
    await run(stage, Number((await migrationRow(stage, migrationId))["job_id"]));
  };

  /** The guest is the target's, whole, with everything that belongs to it; the original is its safety copy. */
  const assertWhole = async (move: QueuedMove, guest: { vmid: number; guestId: number }): Promise<void> => {
    assert.deepEqual(new Set(Object.values(await stepsOf(move))), new Set(["done"]));
    assert.equal((await migrationRow(stage, move.migrationId))["status"], "done");
    assert.equal(transfersOf(stage, guest.vmid), 1, "nothing is copied again");
    assert.notEqual(guestOn(stage.target, guest.vmid)?.runtime ?? null, null);
    assert.equal(guestOn(stage.source, guest.vmid)?.config["tags"], "drover-migrated");
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
    const { rows } = await stage.services.pool.query(
      `select g.host_id as host, g.safety_copy as copy, u.username as owner, host(a.address) as address, n.name as node,
         host(f.guest_address) as forwarded
       from guest g join user_account u on u.id = g.owner_id join ip_address a on a.guest_id = g.id
       join port_forward f on f.guest_id = g.id join node n on n.id = f.node_id where g.id = $1`,
      [guest.guestId],
    );
    const [, address] = /ip=(10\.1\.0\.\d+)/.exec(guestOn(stage.target, guest.vmid)?.config["net0"] ?? "") ?? [];
    const owner = `owner${guest.vmid}`;
    const there = { host: stage.target.hostId, node: stage.target.node };
    assert.ok(address !== undefined);
    assert.deepEqual(rows, [{ ...there, copy: false, owner, address, forwarded: address }]);
  };

  interface Breakage {
    readonly step: string;
    readonly warning: RegExp;
    /** Breaks it, and says how to mend it. */
    readonly breakIt: (vmid: number, move: QueuedMove) => Promise<() => Promise<unknown>>;
  }

  const faultAt = async (method: string, path: string): Promise<() => Promise<unknown>> => {
    const target = control(stage.target.host.control);
    const made = await target.post("/faults", { method, path, effect: "status", status: 500, message: "broken" });
    return () => target.delete(`/faults/${String(Reflect.get(Object(made), "id"))}`);
  };

  const breakages: readonly Breakage[] = [
    { step: "ip_plan", warning: /broken/, breakIt: (number) => faultAt("PUT", `/lxc/${number}/config$`) },
    {
      step: "port_forwards",
      warning: /could not apply the port forwards: refused/,
      breakIt() {
        stage.refusing.add("apply_port_forwards");
        return Promise.resolve(() => Promise.resolve(stage.refusing.delete("apply_port_forwards")));
      },
    },
    {
      step: "records",
      warning: /broken/,
      // The step before it waits for the silent agent: until then the target has to answer.
      breakIt(number, { migrationId }) {
        stage.silent.add(stage.target.node);
        const breaking = (async () => {
          await until("the port forwards are being made", async () => {
            return (await stepsOf({ migrationId, jobId: 0 }))["port_forwards"] === "running";
          });
          const mend = await faultAt("GET", `/lxc/${number}/status/current$`);
          time.leaps = true;
          stage.silent.delete(stage.target.node);
          return () => {
            time.leaps = false;
            return mend();
          };
        })();
        return Promise.resolve(async () => (await breaking)());
      },
    },
  ];

  for (const { step, warning, breakIt } of breakages) {
    it(`is done with warnings when ${step} does, and whole after a retry`, async () => {
      const guest = await place();
      const move = await queueMove(stage, guest.guestId);
      const mend = await breakIt(guest.vmid, move);
      await run(stage, move.jobId);
      await mend();
      assert.equal((await migrationRow(stage, move.migrationId))["status"], "done_with_warnings");
      const steps = await stepsOf(move);
      assert.deepEqual(
        Object.keys(steps).filter((name) => steps[name] !== "done"),
        [step],
      );
      const { rows } = await stage.services.pool.query<{ error: string }>(
        `select error from job_step where job_id = $1 and status = 'warned'`,
        [move.jobId],
      );
      assert.match(rows[0]?.error ?? "", warning);
      await retry(move);
      await assertWhole(move, guest);
    });
  }

  it("fails when the records cannot be written at all, keeps the owner, and is whole after a retry", async () => {
    const guest = await place();
    const move = await queueMove(stage, guest.guestId);
    const { pool } = stage.services;
    await pool.query(`create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`);
    await pool.query(`create trigger refuse before update of host_id on guest for each row execute function refuse()`);
    await run(stage, move.jobId);
    await pool.query(`drop function refuse cascade`);
    const row = await migrationRow(stage, move.migrationId);
    assert.deepEqual([row["status"], row["transfer_done"]], ["failed", true]);
    await retry(move);
    await assertWhole(move, guest);
  });

  it("is not retried when it went well, nor after the guest has been moved again", async () => {
    const guest = await place();
    const context = await contextFor(stage.services);
    const first = await queueMove(stage, guest.guestId);
    stage.refusing.add("apply_port_forwards");
    await run(stage, first.jobId);
    stage.refusing.delete("apply_port_forwards");
    const copy = await stage.services.pool.query<{ id: number }>(
      `delete from guest where safety_copy and vmid = $1 returning id`,
      [guest.vmid],
    );
    assert.equal(copy.rowCount, 1);
    await control(stage.source.host.control).delete(`/guests/${guest.vmid}`);
    const back = await queueMove(stage, guest.guestId, {
      targetHostId: stage.source.hostId,
      targetNode: stage.source.node,
    });
    await run(stage, back.jobId);
    assert.equal((await migrationRow(stage, back.migrationId))["status"], "done");
    for (const { migrationId } of [first, back]) {
      const refused = await refusedAs("conflict", retryMigration(context, migrationId));
      assert.equal(refused.reason, "NOT_RETRYABLE");
    }
  });
});
