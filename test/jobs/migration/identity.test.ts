// Moves and the VMIDs that they leave and enter: who has one may be another guest by now.
import assert from "node:assert/strict";
import { retryMigration } from "../../../src/actions/migration/retry.js";
import { deleteSafetyCopies } from "../../../src/actions/guest/safetyCopy.js";
import { MigrationStep, type GuestType } from "../../../src/core/enums.js";
import { syncHost } from "../../../src/inventory/syncHost.js";
import { runJob } from "../../../jobs/engine/executor.js";
import type { Hypervisor, Hypervisors } from "../../../src/hypervisor/hypervisor.js";
import { platformError, PlatformReason } from "../../../src/hypervisor/platformError.js";
import { placeGuest, removeGuest } from "../../../simulator/scenarios/placeGuest.js";
import { planted } from "../../support/rows.js";
import { contextFor } from "../../support/viewers.js";
import { changedHosts } from "../changedHosts.js";
import {
  executorFor,
  guestOn,
  migrationRow,
  openMoveStage,
  placeAndSync,
  queueMove,
  run,
  type MoveStage,
  type QueuedMove,
  type Side,
} from "./stage.js";
import { PLACE } from "../place.js";

const place = (
  platform: Side["host"]["platform"],
  guest: { type: GuestType; vmid: number; node: string; config: Record<string, string> },
): void =>
  void placeGuest(platform, {
    ...guest,
    name: "somebody-elses",
    status: "stopped",
    memory: 64,
    cores: 1,
    diskGb: 0.0625,
    snapshots: [],
  });

describe("a move and the VMIDs of its guest", function () {
  this.timeout(300_000);
  let stage: MoveStage;
  before(async () => {
    stage = await openMoveStage();
  });
  after(() => stage.close());

  /** Destroys what has the VMID, as an operator would, and puts another guest there. */
  const replace = async ({ hostId, host, node }: Side, type: GuestType, vmid: number): Promise<void> => {
    const guest = guestOn({ hostId, host, node }, vmid);
    delete guest?.config["lock"];
    const hypervisor = await stage.services.hypervisors.of(hostId);
    const destroyed = await hypervisor.destroy({ type, node, vmid });
    if (destroyed !== null) await hypervisor.waitForTask(destroyed, {});
    place(host.platform, { type, vmid, node, config: {} });
  };

  /** Does something by hand as soon as the transfer has ended, before anybody looks where the guest is. */
  const runWithHand = async ({ jobId }: QueuedMove, act: () => void): Promise<void> => {
    const { hypervisors } = stage.services;
    const handy: Hypervisors = {
      of: (id) => hypervisors.of(id),
      prompt: (id) => hypervisors.prompt(id),
      once: (id) => hypervisors.once(id),
      connect: (connection) => hypervisors.connect(connection),
      forget: (id) => hypervisors.forget(id),
      close: () => hypervisors.close(),
      async patient(hostId, signal) {
        const host = await hypervisors.patient(hostId, signal);
        const watchTransfer: Hypervisor["watchTransfer"] = (upid, question) => {
          const watch = host.watchTransfer(upid, question);
          const look: typeof watch.look = async () => {
            const seen = await watch.look();
            if (seen.end !== null) act();
            return seen;
          };
          return { look };
        };
        return { ...host, watchTransfer };
      },
    };
    await runJob(executorFor({ ...stage.services, hypervisors: handy }), jobId);
  };

  it("is done, with its owner, when its original is removed by hand right after the transfer", async () => {
    const vmid = 790;
    const guestId = await placeAndSync(stage, { type: "qemu", vmid, status: "stopped" });
    const move = await queueMove(stage, guestId);
    await runWithHand(move, () => removeGuest(stage.source.host.platform, vmid));
    assert.equal(await statusOf(move), "done");
    const { rows } = await stage.services.pool.query(`select host_id as host from guest where id = $1`, [guestId]);
    assert.deepEqual(rows, [{ host: stage.target.hostId }]);
  });

  it("reports it when the guest is removed from the target right after the transfer, and moves again", async () => {
    const vmid = 791;
    const move = await queueMove(stage, await placeAndSync(stage, { type: "qemu", vmid, status: "stopped" }));
    await runWithHand(move, () => removeGuest(stage.target.host.platform, vmid));
    const { error } = await migrationRow(stage, move.migrationId);
    assert.equal(error, `${PLACE}: the transfer ended well, but the guest is not complete on the target any longer`);
    assert.equal(guestOn(stage.source, vmid)?.config["lock"], undefined);
    await retryMigration(await contextFor(stage.services), move.migrationId);
    await run(stage, Number((await migrationRow(stage, move.migrationId))["job_id"]));
    assert.equal(await statusOf(move), "done");
  });

  /** The source refuses the transfer, right after something was done by hand. @returns the error of the move */
  const refusedAfter = async ({ migrationId, jobId }: QueuedMove, act: () => void): Promise<unknown> => {
    const hypervisors = changedHosts(stage.services.hypervisors, () => ({
      migrateRemotely: () => {
        act();
        return Promise.reject(platformError(PlatformReason.REFUSED, "not today"));
      },
    }));
    await runJob(executorFor({ ...stage.services, hypervisors }), jobId);
    return (await migrationRow(stage, migrationId))["error"];
  };

  it("is left to people when neither host has the guest after the source has refused the transfer", async () => {
    const vmid = 792;
    const move = await queueMove(stage, await placeAndSync(stage, { type: "qemu", vmid, status: "stopped" }));
    const error = await refusedAfter(move, () => removeGuest(stage.source.host.platform, vmid));
    const left = `guest ${vmid} on node pvea: where the guest is must be looked at on both hosts`;
    assert.equal(error, `${PLACE}: not today; left behind: ${left}`);
  });

  it("leaves nothing behind when another guest gets the VMID on the target before the source refuses the transfer", async () => {
    const vmid = 793;
    const { host, node } = stage.target;
    const move = await queueMove(stage, await placeAndSync(stage, { type: "qemu", vmid, status: "running" }));
    const error = await refusedAfter(move, () => place(host.platform, { type: "qemu", vmid, node, config: {} }));
    assert.equal(error, `${PLACE}: not today`);
    assert.equal(guestOn(stage.target, vmid)?.config["name"], "somebody-elses");
    assert.notEqual(guestOn(stage.source, vmid)?.runtime ?? null, null);
  });

  const statusOf = async ({ migrationId }: QueuedMove): Promise<unknown> =>
    (await migrationRow(stage, migrationId))["status"];

  it("keeps a container and its owner that comes back to where its copy was destroyed", async () => {
    const vmid = 700;
    const { pool } = stage.services;
    const guestId = await placeAndSync(stage, { type: "lxc", vmid, status: "running" });
    const owner = await planted(pool, "user_account", { username: "o" });
    await pool.query(`update guest set owner_id = $2 where id = $1`, [guestId, owner.id]);
    const there = await queueMove(stage, guestId);
    await run(stage, there.jobId);
    const copy = (await migrationRow(stage, there.migrationId))["safety_copy_guest_id"];
    const [deletion] = await deleteSafetyCopies(await contextFor(stage.services), [Number(copy)]);
    await run(stage, deletion?.jobId ?? 0);
    assert.equal(guestOn(stage.source, vmid), undefined);
    const { hostId, node } = stage.source;
    const back = await queueMove(stage, guestId, { targetHostId: hostId, targetNode: node });
    await run(stage, back.jobId);
    assert.equal(await statusOf(back), "done");
    await syncHost(stage.services, hostId, { thorough: true });
    await syncHost(stage.services, hostId, { thorough: true });
    const { rows } = await pool.query(
      `select g.id, u.username as owner from guest g left join user_account u on u.id = g.owner_id
       where g.host_id = $1 and g.vmid = $2 and g.gone_at is null`,
      [hostId, vmid],
    );
    assert.deepEqual(rows, [{ id: guestId, owner: "o" }]);
  });

  it("takes no machine that another user moves back by hand for the copy that it once left", async () => {
    const vmid = 705;
    const { hostId, host, node } = stage.source;
    const guestId = await placeAndSync(stage, { type: "qemu", vmid, status: "stopped" });
    const move = await queueMove(stage, guestId);
    await run(stage, move.jobId);
    const config = { smbios1: guestOn(stage.target, vmid)?.config["smbios1"] ?? "" };
    assert.match(config.smbios1, /uuid=/);
    const copy = Number((await migrationRow(stage, move.migrationId))["safety_copy_guest_id"]);
    const [deletion] = await deleteSafetyCopies(await contextFor(stage.services), [copy]);
    await run(stage, deletion?.jobId ?? 0);
    place(host.platform, { type: "qemu", vmid, node, config });
    await syncHost(stage.services, hostId, { thorough: true });
    const { rows } = await stage.services.pool.query(
      `select id = $3 as "isCopy", safety_copy as copy, safety_copy_delete_at as due from guest
       where host_id = $1 and vmid = $2 and gone_at is null`,
      [hostId, vmid, copy],
    );
    assert.deepEqual(rows, [{ isCopy: false, copy: false, due: null }]);
  });

  for (const type of ["qemu", "lxc"] as const) {
    it(`does not move another ${type} guest that got the VMID while the move waited`, async () => {
      const vmid = type === "qemu" ? 710 : 711;
      const move = await queueMove(stage, await placeAndSync(stage, { type, vmid, status: "stopped" }));
      await replace(stage.source, type, vmid);
      await run(stage, move.jobId);
      const row = await migrationRow(stage, move.migrationId);
      assert.equal(row["status"], "failed");
      assert.match(String(row["error"]), /another guest under the VMID/);
      assert.equal(guestOn(stage.target, vmid), undefined);
      assert.equal(guestOn(stage.source, vmid)?.config["tags"], undefined);
    });

    it(`makes no safety copy of another ${type} guest that got the VMID of the original`, async () => {
      const vmid = type === "qemu" ? 720 : 721;
      const { pool } = stage.services;
      const guestId = await placeAndSync(stage, { type, vmid, status: "stopped" });
      const move = await queueMove(stage, guestId);
      const failing = `create trigger refuse before insert on guest for each row execute function refuse()`;
      await pool.query(`create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`);
      await pool.query(failing);
      await run(stage, move.jobId);
      await pool.query(`drop function refuse cascade`);
      assert.equal((await migrationRow(stage, move.migrationId))["transfer_done"], true);
      await replace(stage.source, type, vmid);
      await retryMigration(await contextFor(stage.services), move.migrationId);
      await run(stage, Number((await migrationRow(stage, move.migrationId))["job_id"]));
      const { rows } = await pool.query<{ status: string }>(
        `select s.status from job_step s join migration m on m.job_id = s.job_id where m.id = $1 and s.name = $2`,
        [move.migrationId, MigrationStep.SAFETY_COPY],
      );
      assert.deepEqual(rows, [{ status: "done" }]);
      assert.equal(guestOn(stage.source, vmid)?.config["tags"], undefined);
      await syncHost(stage.services, stage.source.hostId, { thorough: true });
      const { rows: guests } = await pool.query(
        `select g.name, g.safety_copy as copy, g.id = $3 as moved from guest g
         where g.host_id = $1 and g.vmid = $2 and g.gone_at is null`,
        [stage.source.hostId, vmid, guestId],
      );
      assert.deepEqual(guests, [{ name: "somebody-elses", copy: false, moved: false }]);
    });
  }
});
