// What arrives otherwise than it left: told by name, and a lost cloud-init drive made anew.
import assert from "node:assert/strict";
import { runJob } from "../../../jobs/engine/executor.js";
import { createIpZone } from "../../../src/actions/catalogue/ipZone.js";
import { MIB } from "../../../src/core/units.js";
import type { Hypervisor } from "../../../src/hypervisor/hypervisor.js";
import { platformError, PlatformReason } from "../../../src/hypervisor/platformError.js";
import { contextFor } from "../../support/viewers.js";
import { changedHosts } from "../changedHosts.js";
import { retry } from "./faults.js";
import {
  executorFor,
  guestOn,
  leftovers,
  migrationRow,
  NOTHING_LEFT,
  openMoveStage,
  placeAndSync,
  queueMove,
  type MoveStage,
  type QueuedMove,
} from "./stage.js";

describe("the disks of a guest that has moved", function () {
  this.timeout(1_800_000);
  let stage: MoveStage;
  let vmid = 5900;
  before(async () => {
    stage = await openMoveStage();
  });
  after(() => stage.close());

  const place = async (
    status: "running" | "stopped",
    ipconfig0 = "ip=10.0.0.5/24",
  ): Promise<{ number: number; move: QueuedMove }> => {
    const number = vmid++;
    const config = { ide2: `local:${number}/vm-${number}-cloudinit.qcow2,media=cdrom,size=4M`, ipconfig0 };
    const guestId = await placeAndSync(stage, { type: "qemu", vmid: number, status, config });
    return { number, move: await queueMove(stage, guestId) };
  };

  const cloudInitOf = (number: number) => ({
    storage: "local",
    node: stage.target.node,
    name: `${number}/vm-${number}-cloudinit.qcow2`,
    content: "images" as const,
    format: "qcow2",
    size: 4 * 1024 ** 2,
    used: 1000,
    vmid: number,
    parent: null,
    ctime: 1,
    hasSystem: false,
  });

  /** Right before the transfer is ordered, somebody else makes a volume of the cloud-init drive's name on the target. */
  const takeName =
    (number: number) =>
    (host: Hypervisor): Pick<Hypervisor, "migrateRemotely"> => ({
      migrateRemotely: (order) => {
        stage.target.host.platform.state.volumes.push(cloudInitOf(number));
        return host.migrateRemotely(order);
      },
    });

  const giveNameBack = (number: number): void => {
    const { state } = stage.target.host.platform;
    state.volumes = state.volumes.filter(({ vmid: owner, ctime }) => owner !== number || ctime !== 1);
  };

  /** A target that recreates the drive once its name is free. */
  const remaking =
    (number: number, meanwhile: (volume: string) => unknown = () => undefined) =>
    (host: Hypervisor): Pick<Hypervisor, "migrateRemotely" | "recreateCloudInit"> => ({
      ...takeName(number)(host),
      recreateCloudInit: (guest, drive) => {
        giveNameBack(number);
        meanwhile(drive.volume);
        return host.recreateCloudInit(guest, drive);
      },
    });

  const runWith = async (
    { migrationId, jobId }: QueuedMove,
    change: (host: Hypervisor) => Partial<Hypervisor>,
  ): Promise<Record<string, unknown>> => {
    const hypervisors = changedHosts(stage.services.hypervisors, change);
    await runJob(executorFor({ ...stage.services, hypervisors }), jobId);
    return migrationRow(stage, migrationId);
  };

  const warningsOf = async ({ jobId }: QueuedMove): Promise<string[]> => {
    const { rows } = await stage.services.pool.query<{ error: string }>(
      `select error from job_step where job_id = $1 and error is not null`,
      [jobId],
    );
    return rows.map(({ error }) => error);
  };

  const volumesOf = (number: number): string[] =>
    stage.target.host.platform.state.volumes
      .flatMap((volume) => (volume.vmid === number ? [volume.name] : []))
      .toSorted();

  for (const status of ["stopped", "running"] as const) {
    it(`get their cloud-init drive again when it arrived as a CD drive: a ${status} machine`, async () => {
      const { number, move } = await place(status);
      const row = await runWith(move, remaking(number));
      assert.equal(row["status"], "done_with_warnings", String(row["error"]));
      const told = `ide2 had arrived as a CD drive with local:${number}/vm-${number}-disk-0.qcow2, and is a cloud-init drive again`;
      assert.deepEqual(await warningsOf(move), [told]);
      const { ide2 } = guestOn(stage.target, number)?.config ?? {};
      assert.equal(ide2?.split(",")[0], `local:${number}/vm-${number}-cloudinit.qcow2`);
      assert.equal(volumesOf(number).length, 2);
      assert.equal((await retry(stage, move))["status"], "done");
      assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
    });
  }

  it("are reported with the medium in whose place the drive is made again, when that cannot be removed", async () => {
    const { number, move } = await place("stopped");
    const row = await runWith(move, (host) => ({
      ...remaking(number)(host),
      deleteVolume: () => Promise.reject(platformError(PlatformReason.REFUSED, "it is in use")),
    }));
    assert.equal(row["status"], "done_with_warnings", String(row["error"]));
    const medium = `local:${number}/vm-${number}-disk-0.qcow2`;
    const why = `${medium} on pveb could not be removed: it is in use`;
    assert.deepEqual(await warningsOf(move), [
      `ide2 had arrived as a CD drive with ${medium}, and is a cloud-init drive again; ${medium} is left on the target, which no guest has (${why})`,
    ]);
  });

  it("keep the medium in whose place the drive is made again, when another user has put it into another drive", async () => {
    const { number, move } = await place("stopped");
    const medium = `local:${number}/vm-${number}-disk-0.qcow2`;
    const row = await runWith(
      move,
      remaking(number, (volume) =>
        Object.assign(guestOn(stage.target, number)?.config ?? {}, { sata3: `${volume},media=cdrom` }),
      ),
    );
    assert.equal(row["status"], "done_with_warnings", String(row["error"]));
    assert.match(guestOn(stage.target, number)?.config["ide2"] ?? "", /-cloudinit\.qcow2/);
    assert.equal(guestOn(stage.target, number)?.config["sata3"], `${medium},media=cdrom`);
    assert.ok(volumesOf(number).includes(`${number}/vm-${number}-disk-0.qcow2`), volumesOf(number).join(" "));
  });

  it("are reported when the drive cannot be made again, and a retry makes up for it", async () => {
    const { number, move } = await place("stopped");
    const row = await runWith(move, takeName(number));
    assert.equal(row["status"], "done_with_warnings", String(row["error"]));
    const [told = "", ...others] = await warningsOf(move);
    const start = `ide2 had arrived as a CD drive with local:${number}/vm-${number}-disk-0.qcow2, and could not be made a cloud-init drive again (`;
    assert.ok(told.startsWith(start) && told.endsWith("): addresses and passwords do not reach the guest"), told);
    assert.deepEqual(others, []);
    giveNameBack(number);
    assert.equal((await retry(stage, move))["status"], "done_with_warnings");
    assert.equal((await retry(stage, move))["status"], "done");
    assert.match(guestOn(stage.target, number)?.config["ide2"] ?? "", /-cloudinit\.qcow2/);
  });

  it("are reported by their slots when they are missing or of another size", async () => {
    const number = vmid++;
    const config = {
      scsi1: `local:${number}/vm-${number}-disk-1.raw,size=32M`,
      scsi2: `local:${number}/vm-${number}-disk-2.raw,size=32M`,
    };
    const guestId = await placeAndSync(stage, { type: "qemu", vmid: number, status: "stopped", config });
    const move = await queueMove(stage, guestId);
    const row = await runWith(move, (host) => ({
      guestConfig: async (guest, view) => {
        const seen = await host.guestConfig(guest, view);
        if (guest.node !== stage.target.node) return seen;
        const disks = seen.disks.filter(({ key }) => key !== "scsi1");
        return { ...seen, disks: disks.map((disk) => (disk.key === "scsi2" ? { ...disk, bytes: 16 * MIB } : disk)) };
      },
    }));
    assert.equal(row["status"], "done_with_warnings");
    assert.deepEqual(await warningsOf(move), [
      "on the target scsi1 is missing, which was a disk; on the target scsi2 had 33554432 bytes and has 16777216",
    ]);
  });

  it("may state another size than before, if the platform has set the original right too", async () => {
    const number = vmid++;
    const config = { scsi1: `local:${number}/vm-${number}-disk-1.raw,size=32M` };
    const guestId = await placeAndSync(stage, { type: "qemu", vmid: number, status: "stopped", config });
    const { state } = stage.source.host.platform;
    const volume = state.volumes.find(({ name }) => name === `${number}/vm-${number}-disk-1.raw`);
    assert.ok(volume !== undefined);
    volume.size = 48 * 1024 ** 2;
    const move = await queueMove(stage, guestId);
    const row = await runWith(move, () => ({}));
    assert.equal(row["status"], "done", String(row["error"]));
    assert.match(guestOn(stage.target, number)?.config["scsi1"] ?? "", /size=48M/);
  });

  it("are reported as unknown when the target does not show them, and looked at again by a retry", async () => {
    const { number, move } = await place("stopped");
    let looks = 0;
    const row = await runWith(move, (host) => ({
      guestConfig: async (guest, view) => {
        // The first look is for the lock of the guest.
        const isAsked = guest.node === stage.target.node && (await isRunning(move, "ip_plan")) && ++looks === 2;
        if (isAsked) throw platformError(PlatformReason.FORBIDDEN, "Permission check failed");
        return host.guestConfig(guest, view);
      },
    }));
    assert.equal(row["status"], "done_with_warnings", String(row["error"]));
    const told = "whether all disks have arrived as they were is not known: Permission check failed";
    assert.deepEqual(await warningsOf(move), [told]);
    assert.equal(guestOn(stage.source, number)?.config["tags"], "drover-migrated");
    assert.equal((await retry(stage, move))["status"], "done");
  });

  const isRunning = async ({ jobId }: QueuedMove, step: string): Promise<boolean> => {
    const { rowCount } = await stage.services.pool.query(
      `select from job_step where job_id = $1 and name = $2 and status = 'running'`,
      [jobId, step],
    );
    return rowCount !== 0;
  };

  it("have their cloud-init drive again before the machine gets its new address, which goes by way of it", async () => {
    const context = await contextFor(stage.services);
    for (const [{ hostId }, network] of [
      [stage.source, "10.7.0"],
      [stage.target, "10.8.0"],
    ] as const) {
      const zone = { hostId, name: "lan", cidr: `${network}.0/24`, gateway: `${network}.1`, bridge: "vmbr0" };
      await createIpZone(context, zone);
    }
    const { number, move } = await place("stopped", "ip=10.7.0.5/24,gw=10.7.0.1");
    const done: string[] = [];
    await runWith(move, (host) => ({
      ...remaking(number)(host),
      recreateCloudInit: async (guest, drive) => {
        giveNameBack(number);
        const upid = await host.recreateCloudInit(guest, drive);
        if (upid !== null) await host.waitForTask(upid);
        done.push("drive");
        return upid;
      },
      setAddress: (...call) => {
        done.push("address");
        return host.setAddress(...call);
      },
    }));
    assert.deepEqual(done, ["drive", "address"]);
    assert.match(guestOn(stage.target, number)?.config["ipconfig0"] ?? "", /^ip=10\.8\.0\.\d+\/24,gw=10\.8\.0\.1$/);
  });
});
