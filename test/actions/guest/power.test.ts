// Power orders against a simulated cluster: where they are carried out, what is refused, what the inventory says afterwards.
import assert from "node:assert/strict";
import type { Context } from "../../../src/context/context.js";
import type { ErrorKind } from "../../../src/errors/errors.js";
import { deleteGuest } from "../../../src/actions/guest/deleteGuest.js";
import { whileGuestIsHeld } from "../../../src/actions/guest/holdForRequest.js";
import { powerGuest, type PowerOrder } from "../../../src/actions/guest/power.js";
import { GuestStatus, GuestType, PowerAction, UserRole } from "../../../src/core/enums.js";
import { guestLock } from "../../../src/core/guest/lock.js";
import type { Hypervisor } from "../../../src/hypervisor/hypervisor.js";
import { platformError, PlatformReason } from "../../../src/hypervisor/platformError.js";
import type { Upid } from "../../../src/hypervisor/task.js";
import { syncHost } from "../../../src/inventory/syncHost.js";
import type { RunningHost } from "../../../simulator/host.js";
import { placeGuest } from "../../../simulator/scenarios/placeGuest.js";
import { connectHost, createPlatformServices, startTestHost } from "../../support/platform.js";
import type { TestServices } from "../../support/services.js";
import { tokenViewer, userViewer } from "../../support/context.js";
import { eventually } from "../../support/eventually.js";
import { refusedAs } from "../../support/refusal.js";
import { fromNow, plant } from "../../support/rows.js";
import { losingPool } from "../../jobs/killing.js";
import { contextFor } from "../../support/viewers.js";

const machine = {
  type: "qemu",
  status: "running",
  memory: 256,
  cores: 1,
  diskGb: 1,
  config: {},
  snapshots: [],
} as const;

/** Marks that no guest of these tests is made with. */
const OTHER = { smbios1: "uuid=4f0a8f30-0c5e-4d7e-9d2b-6f6f3f1f2a11" };

describe("actions/power", () => {
  let host: RunningHost;
  let services: TestServices;
  let hostId: number;

  before(async () => {
    host = await startTestHost({ nodes: ["pvea", "pveb"] });
    placeGuest(host.platform, { ...machine, vmid: 100, node: "pvea", name: "runs" });
    placeGuest(host.platform, { ...machine, vmid: 101, node: "pvea", name: "stopped", status: "stopped" });
    placeGuest(host.platform, { ...machine, vmid: 102, node: "pvea", name: "copy", status: "stopped" });
    placeGuest(host.platform, {
      ...machine,
      vmid: 103,
      node: "pvea",
      name: "tpl",
      status: "stopped",
      config: { template: 1 },
    });
    placeGuest(host.platform, { ...machine, vmid: 104, node: "pvea", name: "busy" });
    placeGuest(host.platform, { ...machine, vmid: 105, node: "pvea", name: "moves" });
    services = await createPlatformServices();
    hostId = await connectHost(services, host);
    await services.pool.query(`update guest set safety_copy = true where vmid = 102`);
    await plant(services.pool, { job: [{ kind: "guest_delete" }], resource_lock: [{ key: guestLock(hostId, 104) }] });
  });
  after(async () => {
    await services.close();
    await host.close();
  });

  const order = async (changes: Partial<PowerOrder>): Promise<string> => {
    const whole = { hostId, type: GuestType.QEMU, vmid: 100, node: "pvea", action: PowerAction.START, ...changes };
    return (await powerGuest(await contextFor(services), whole)).upid;
  };
  const statusIs = (vmid: number, status: GuestStatus): Promise<void> =>
    eventually(async () => {
      const { rows } = await services.pool.query(`select status from guest where vmid = $1 and gone_at is null`, [
        vmid,
      ]);
      assert.deepEqual(rows, [{ status }]);
    });

  it("starts a guest, and the inventory follows before the next sync", async () => {
    assert.match(await order({ vmid: 101, action: PowerAction.START }), /^UPID:pvea:.*:qmstart:101:/);
    await statusIs(101, GuestStatus.RUNNING);
  });

  it("is carried out where the guest is, whatever node of the host is named", async () => {
    assert.match(await order({ vmid: 101, node: "pveb", action: PowerAction.STOP }), /^UPID:pvea:/);
    await statusIs(101, GuestStatus.STOPPED);
  });

  it("finds a guest that moved inside the cluster since the last sync", async () => {
    const moved = host.platform.state.guests.get(105);
    assert.ok(moved);
    moved.node = "pveb";
    assert.match(await order({ vmid: 105, action: PowerAction.STOP }), /^UPID:pveb:.*:qmstop:105:/);
    await statusIs(105, GuestStatus.STOPPED);
  });

  it("shows a paused machine as paused, and as running when it was resumed", async () => {
    await order({ action: PowerAction.SUSPEND });
    await statusIs(100, GuestStatus.PAUSED);
    const { runtime } = host.platform.state.guests.get(100) ?? assert.fail("the guest is there");
    await eventually(async () => assert.equal(runtime?.qmpstatus, "paused"));
    await order({ action: PowerAction.RESUME });
    await statusIs(100, GuestStatus.RUNNING);
  });

  it("names host and node when a member of the cluster is down", async () => {
    const node = host.platform.state.nodes.get("pveb") ?? assert.fail("there is a second node");
    node.online = false;
    try {
      const error = await refusedAs("platform", order({ vmid: 105, action: PowerAction.START }));
      assert.match(error.message, /^node pveb of host \S+ cannot be reached: no route to host$/);
    } finally {
      node.online = true;
    }
  });

  it("reverts what it noted when the platform refuses to pause", async () => {
    await fetch(`${host.control}/faults`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        method: "POST",
        path: "status/suspend",
        times: 1,
        effect: "status",
        status: 500,
        message: "no",
      }),
    });
    const error = await refusedAs("platform", order({ action: PowerAction.SUSPEND }));
    assert.match(error.message, /^node pvea of host \S+: no$/);
    await statusIs(100, GuestStatus.RUNNING);
  });

  const statusOf = async (vmid: number): Promise<unknown> =>
    (
      await services.pool.query<{ status: string }>(`select status from guest where vmid = $1 and gone_at is null`, [
        vmid,
      ])
    ).rows[0]?.status;

  it("has no machine on record as paused that is ordered to do something else", async () => {
    const context = whileOrdered(await contextFor(services), async (carryOut) => {
      assert.equal(await statusOf(100), GuestStatus.RUNNING);
      return carryOut();
    });
    const stop = { hostId, type: GuestType.QEMU, vmid: 100, node: "pvea", action: PowerAction.STOP };
    await powerGuest(context, stop);
    await statusIs(100, GuestStatus.STOPPED);
    await order({ action: PowerAction.START });
    await statusIs(100, GuestStatus.RUNNING);
  });

  it("keeps a machine on record as paused when the answer is lost, until a sync has looked closer", async () => {
    const lost = platformError(PlatformReason.UNCERTAIN, "the answer was lost");
    const context = whileOrdered(await contextFor(services), () => Promise.reject(lost));
    const suspend = { hostId, type: GuestType.QEMU, vmid: 100, node: "pvea", action: PowerAction.SUSPEND };
    await assert.rejects(powerGuest(context, suspend), lost);
    assert.equal(await statusOf(100), GuestStatus.PAUSED);
    await syncHost(services, hostId, { thorough: true });
    assert.equal(await statusOf(100), GuestStatus.RUNNING);
  });

  const refusals: readonly [what: string, changes: Partial<PowerOrder>, kind: ErrorKind, reason: string | undefined][] =
    [
      ["an unknown guest", { vmid: 999 }, "notFound", undefined],
      ["a guest of the other type", { type: GuestType.LXC }, "notFound", undefined],
      ["a malformed node name", { node: "pve_1" }, "validation", undefined],
      ["a node of another host", { node: "pvez" }, "validation", undefined],
      ["a safety copy", { vmid: 102 }, "conflict", "SAFETY_COPY"],
      ["a template", { vmid: 103 }, "conflict", "IS_TEMPLATE"],
      ["a busy guest", { vmid: 104 }, "conflict", "GUEST_BUSY"],
    ];
  for (const [what, changes, kind, reason] of refusals) {
    it(`refuses ${what}`, async () => {
      assert.equal((await refusedAs(kind, order(changes))).reason, reason);
    });
  }

  it("holds the guest while it asks: nothing else begins, and afterwards it is free", async () => {
    const context = await contextFor(services);
    const stop = { hostId, type: GuestType.QEMU, vmid: 100, node: "pvea", action: PowerAction.STOP };
    const meanwhile = async () => {
      for (const second of [powerGuest, deleteGuest]) {
        assert.equal((await refusedAs("conflict", second(context, stop))).reason, "GUEST_BUSY");
      }
    };
    await powerGuest(whilePrompted(context, meanwhile), stop);
    await statusIs(100, GuestStatus.STOPPED);
    await order({ action: PowerAction.START });
    await statusIs(100, GuestStatus.RUNNING);
  });

  it("frees the guest when the platform refuses, and takes over the hold of a process that died", async () => {
    await refusedAs("platform", order({ vmid: 101, action: PowerAction.RESUME }));
    await plant(services.pool, {
      resource_lock: [{ key: guestLock(hostId, 101), job_id: null, until: fromNow(-1) }],
    });
    await order({ vmid: 101, action: PowerAction.START });
    await statusIs(101, GuestStatus.RUNNING);
    await order({ vmid: 101, action: PowerAction.STOP });
    await statusIs(101, GuestStatus.STOPPED);
  });

  it("releases no hold but its own, which may have run out", async () => {
    const { pool } = services;
    const { rows } = await pool.query<{ id: number }>("select id from guest where vmid = 100");
    const key = guestLock(hostId, 100);
    const guest = { id: rows[0]?.id ?? 0, hostId, vmid: 100 };
    await whileGuestIsHeld(services, guest, () =>
      pool.query(`update resource_lock set until = until + interval '1 hour' where key = $1`, [key]),
    );
    assert.equal((await pool.query(`delete from resource_lock where key = $1`, [key])).rowCount, 1);
  });

  it("returns what was done although the database was lost before the hold could be ended", async () => {
    const { rows } = await services.pool.query<{ id: number }>("select id from guest where vmid = 100");
    const { pool, lost } = losingPool(services.pool, { write: 2, moment: "before" });
    const guest = { id: rows[0]?.id ?? 0, hostId, vmid: 100 };
    assert.equal(await whileGuestIsHeld({ pool, log: services.log }, guest, () => Promise.resolve("done")), "done");
    assert.ok(lost());
    await services.pool.query("delete from resource_lock where key = $1", [guestLock(hostId, 100)]);
  });

  it("leaves a guest alone that became a safety copy while it was looked up", async () => {
    const { id } =
      (await services.pool.query<{ id: number }>("select id from guest where vmid = 102")).rows[0] ?? assert.fail();
    const held = whileGuestIsHeld(services, { id, hostId, vmid: 102 }, () => Promise.resolve());
    assert.equal((await refusedAs("conflict", held)).reason, "GUEST_BUSY");
  });

  it("never touches another guest that has the VMID by now", async () => {
    placeGuest(host.platform, { ...machine, vmid: 106, node: "pvea", name: "first" });
    placeGuest(host.platform, { ...machine, type: "lxc", vmid: 107, node: "pvea", name: "first" });
    await syncHost(services, hostId, { thorough: true });
    host.platform.state.guests.delete(106);
    const second = placeGuest(host.platform, { ...machine, vmid: 106, node: "pvea", name: "second", config: OTHER });
    await refusedAs("notFound", order({ vmid: 106, action: PowerAction.STOP }));
    assert.equal(second.runtime?.qmpstatus, "running");
    await order({ vmid: 107, type: GuestType.LXC, action: PowerAction.STOP });
    await statusIs(107, GuestStatus.STOPPED);
  });

  it("passes the platform's words on", async () => {
    const error = await refusedAs("platform", order({ vmid: 101, action: PowerAction.RESUME }));
    assert.match(error.message, /not running/);
  });

  it("does not show customers the guests of others", async () => {
    const stranger = await contextFor(services, userViewer(UserRole.CUSTOMER, 7));
    const stop = { hostId, type: GuestType.QEMU, vmid: 100, node: "pvea", action: PowerAction.STOP };
    await refusedAs("notFound", powerGuest(stranger, stop));
  });

  it("is refused for a host out of a token's scope, existing or not", async () => {
    const scoped = await contextFor(services, tokenViewer([99]));
    for (const other of [hostId, 4711]) {
      const stop = { hostId: other, type: GuestType.QEMU, vmid: 100, node: "pvea", action: PowerAction.STOP };
      await refusedAs("forbidden", powerGuest(scoped, stop));
    }
  });
});

/** A request during whose connection to the host something else happens. */
const whilePrompted = (context: Context, meanwhile: () => Promise<void>): Context =>
  prompting(context, (prompt) => meanwhile().then(prompt));

/** A request whose order to the platform is carried out, or fails, inside something else. */
const whileOrdered = (context: Context, around: (carryOut: () => Promise<Upid>) => Promise<Upid>): Context =>
  prompting(context, async (prompt) => {
    const hypervisor = await prompt();
    return { ...hypervisor, power: (guest, action) => around(() => hypervisor.power(guest, action)) };
  });

function prompting(context: Context, connect: (prompt: () => Promise<Hypervisor>) => Promise<Hypervisor>): Context {
  const { hypervisors } = context;
  return {
    ...context,
    hypervisors: {
      of: (id) => hypervisors.of(id),
      prompt: (id) => connect(() => hypervisors.prompt(id)),
      patient: (id, signal) => hypervisors.patient(id, signal),
      once: (id) => hypervisors.once(id),
      connect: (connection) => hypervisors.connect(connection),
      forget: (id) => hypervisors.forget(id),
      close: () => hypervisors.close(),
    },
  };
}
