// Tests locks: what one refuses at once, what only in the task, who may remove it, and how work queues.
import assert from "node:assert/strict";
import { SimulatedClock } from "../../../simulator/clock.js";
import { GuestLocks } from "../../../simulator/state/guestLocks.js";
import { Asker, standalone } from "../asking.js";

const vm = "/nodes/pvea/qemu/100";
const container = "/nodes/pvea/lxc/200";

async function withLockedVm(): Promise<Asker> {
  const asker = new Asker(standalone());
  await asker.makeVm(100);
  await asker.as("root@pam").data(`PUT ${vm}/config`, { lock: "backup" });
  return asker;
}

function lockGuest(asker: Asker, vmid: number, lock: string): void {
  const guest = asker.platform.state.guests.get(vmid);
  assert.ok(guest);
  guest.config.lock = lock;
}

describe("simulator: locks", () => {
  it("MUST refuse changes, clones and templates of a locked VM at once", async () => {
    const asker = await withLockedVm();
    const refused: [string, Record<string, string>][] = [
      [`PUT ${vm}/config`, { tags: "z" }],
      [`POST ${vm}/config`, { tags: "z" }],
      [`POST ${vm}/clone`, { newid: "160", full: "1" }],
      [`POST ${vm}/template`, {}],
      [`GET ${vm}/migrate`, {}],
    ];
    for (const [what, parameters] of refused)
      assert.deepEqual(await asker.ask(what, parameters), { status: 500, message: "VM is locked (backup)" }, what);
  });

  it("MUST refuse start, resize, snapshot and destroy only in the task", async () => {
    const asker = await withLockedVm();
    const failing: [string, Record<string, string>][] = [
      [`POST ${vm}/status/start`, {}],
      [`PUT ${vm}/resize`, { disk: "scsi0", size: "+1G" }],
      [`POST ${vm}/snapshot`, { snapname: "a1" }],
      [`DELETE ${vm}`, {}],
    ];
    for (const [what, parameters] of failing)
      assert.equal((await asker.run(what, parameters)).exit, "VM is locked (backup)", what);
  });

  it("MUST let only the superuser's ticket with skiplock remove a VM's lock", async () => {
    const asker = await withLockedVm();
    const root = asker.as("root@pam");
    const config = `PUT ${vm}/config`;
    assert.equal((await asker.ask(config, { delete: "lock" })).message, "only root can set 'lock' config");
    assert.equal((await asker.ask(config, { delete: "lock", skiplock: "1" })).status, 400);
    assert.equal((await root.ask(config, { delete: "lock" })).message, "VM is locked (backup)");
    assert.equal((await root.ask(config, { delete: "lock", skiplock: "1" })).status, 200);
    assert.equal((await asker.record(`GET ${vm}/config`)).lock, undefined);
  });

  it("MUST let no user remove a container's lock or destroy it", async () => {
    const asker = new Asker(standalone());
    await asker.makeContainer(200);
    lockGuest(asker, 200, "migrate");
    for (const who of [asker, asker.as("root@pam")]) {
      assert.equal((await who.ask(`PUT ${container}/config`, { delete: "lock" })).message, "CT is locked (migrate)");
      assert.equal((await who.ask(`DELETE ${container}`, { force: "1" })).message, "CT is locked (migrate)");
    }
    assert.equal((await asker.run(`POST ${container}/status/start`)).exit, "CT is locked (migrate)");
  });

  it("MUST destroy a locked VM for the superuser with skiplock", async () => {
    const asker = await withLockedVm();
    const { exit } = await asker.as("root@pam").run(`DELETE ${vm}`, { skiplock: "1" });
    assert.equal(exit, "OK");
  });

  it("MUST queue work on one guest, sharing where it may be shared", async () => {
    const locks = new GuestLocks(new SimulatedClock(1000));
    const guest = { type: "qemu", vmid: 100 } as const;
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const first = locks.hold(guest, () => gate.promise.then(() => order.push("first")), { shared: true });
    const second = locks.hold(guest, () => order.push("second"), { shared: true });
    const log: string[] = [];
    const third = locks.hold(guest, () => order.push("third"), { log: (line) => log.push(line), timeoutMs: 1e9 });
    await second;
    gate.resolve();
    await Promise.all([first, third]);
    assert.deepEqual(order, ["second", "first", "third"]);
    assert.deepEqual(log, ["trying to acquire lock...", " OK"]);
  });

  it("MUST give up waiting after the time-out, naming the file", async () => {
    const locks = new GuestLocks(new SimulatedClock(10_000));
    const guest = { type: "lxc", vmid: 200 } as const;
    const gate = Promise.withResolvers<void>();
    const holder = locks.hold(guest, () => gate.promise);
    await assert.rejects(
      locks.hold(guest, () => {}),
      { message: "can't lock file '/run/lock/lxc/pve-config-200.lock' - got timeout" },
    );
    gate.resolve();
    await holder;
  });

  it("MUST overrule a waiting shutdown when a stop asks for it", async () => {
    const asker = new Asker(standalone({ timeFactor: 200 }));
    await asker.makeVm(100);
    await asker.run(`POST ${vm}/status/start`);
    const shutdown = String(await asker.data(`POST ${vm}/status/shutdown`, { timeout: "600" }));
    const { exit, log } = await asker.run(`POST ${vm}/status/stop`, { "overrule-shutdown": "1" });
    assert.equal(exit, "OK");
    assert.match(log[0] ?? "", /^overruled qmshutdown tasks: UPID:/);
    assert.equal(asker.platform.tasks.find(shutdown)?.exitstatus, "unexpected status");
  });
});
