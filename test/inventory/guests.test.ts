// Which guest is which: those that vanish, come back, are hidden, or are others under a VMID that was used before.
import assert from "node:assert/strict";
import { mock } from "node:test";
import type { AccessRule } from "../../simulator/state/access.js";
import { guestLock } from "../../src/core/guest/lock.js";
import { refusedAs } from "../support/refusal.js";
import { plant } from "../support/rows.js";
import { syncMeanwhile } from "./support/meanwhile.js";
import { Site, type ConnectedHost } from "./support/site.js";
import { until } from "../support/until.js";

const VM = { type: "qemu", vmid: 100, node: "pvea", name: "web1" } as const;
const CONTAINER = { type: "lxc", vmid: 101, node: "pvea", name: "box" } as const;
const DAY_MS = 86_400_000;
/** A container's network card. */
const card = (last: string): string => `name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:00:${last},type=veth`;
const TEMPLATE_FILE = "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.gz";

interface Known {
  readonly id: number;
  readonly vmid: number;
  readonly status: string;
  readonly owner: string | null;
}

describe("guests that come and go", () => {
  let site: Site;
  let pve: ConnectedHost;
  beforeEach(async () => {
    site = await Site.open();
    pve = await site.connect();
    await pve.control.post("/guests", VM);
    await pve.control.post("/guests", CONTAINER);
    await pve.sync();
    await plant(site.services.pool, { user_account: [{ username: "ann" }] });
    await site.rows("update guest set owner_id = 1");
  });
  afterEach(() => site.close());

  const present = (): Promise<Known[]> =>
    site.rows<Known>(
      `select g.id, g.vmid, g.status, u.username as owner from guest g left join user_account u on u.id = g.owner_id
       where g.gone_at is null order by g.vmid`,
    );
  const first = { id: 1, vmid: 100, status: "stopped", owner: "ann" };
  const second = { id: 2, vmid: 101, status: "stopped", owner: "ann" };

  it("hides a guest as soon as it has vanished", async () => {
    await pve.control.delete("/guests/100");
    await pve.sync();
    assert.deepEqual(await present(), [second]);
  });

  for (const guest of [VM, CONTAINER]) {
    it(`recognizes a ${guest.type} guest that comes back, with id and owner`, async () => {
      await pve.control.delete(`/guests/${guest.vmid}`);
      await pve.sync();
      assert.equal((await present()).length, 1);
      site.clock.shift(6 * 86_400);
      await pve.control.post("/guests", guest);
      await pve.sync();
      assert.deepEqual(await present(), [first, second]);
    });
  }

  it("takes who comes back after the retention for a new guest", async () => {
    await pve.control.delete("/guests/100");
    await pve.sync();
    site.clock.shift(7 * 86_400 + 60);
    await pve.control.post("/guests", VM);
    await pve.sync();
    assert.deepEqual(await present(), [{ id: 3, vmid: 100, status: "stopped", owner: null }, second]);
  });

  it("takes a VM with another identity for another guest, seen in one sync or in two", async () => {
    for (const [id, syncBetween] of [
      [3, false],
      [4, true],
    ] as const) {
      await pve.control.delete("/guests/100");
      if (syncBetween) await pve.sync();
      await pve.control.post("/guests", { ...VM, name: `web${id}` });
      await pve.sync();
      assert.deepEqual(await present(), [{ id, vmid: 100, status: "stopped", owner: null }, second]);
    }
  });

  it("takes a VMID that changed its type for another guest", async () => {
    await pve.control.delete("/guests/100");
    await pve.control.post("/guests", { ...VM, type: "lxc" });
    await pve.sync();
    assert.deepEqual(await present(), [{ id: 3, vmid: 100, status: "stopped", owner: null }, second]);
  });

  it("takes a container that was destroyed and made again for another guest", async () => {
    await pve.sync();
    await replaceContainer();
    await pve.sync();
    assert.deepEqual(await present(), [first, { id: 3, vmid: 101, status: "stopped", owner: null }]);
    await pve.sync();
    assert.equal((await present())[1]?.id, 3, "it stays that one");
  });

  it("takes a container that was made by a clock a day ahead, and replaced once it was right, for another guest", async () => {
    const { clock } = pve.host.platform;
    const right = clock.now.bind(clock);
    const ahead = mock.method(clock, "now", () => right() + DAY_MS);
    await replaceContainer();
    await pve.sync();
    await site.rows("update guest set owner_id = 1 where id = 3");
    ahead.mock.restore();
    await pve.sync();
    assert.deepEqual(await present(), [first, { ...second, id: 3 }], "a clock that is set right replaces nothing");
    await replaceContainer();
    await pve.sync();
    assert.deepEqual(await present(), [first, { id: 4, vmid: 101, status: "stopped", owner: null }]);
    await pve.sync();
    assert.equal((await present())[1]?.id, 4, "it stays that one");
  });

  const box = { ...CONTAINER, storage: "local", diskGb: 1 };
  for (const [what, isSame, changes] of [
    ["other cards and another name", false, { name: "shop", config: { net0: card("02") } }],
    ["another card alone", true, { config: { net0: card("02") } }],
    ["another name alone", true, { name: "shop", config: { net0: card("01") } }],
  ] as const) {
    it(`takes a container that has ${what} for ${isSame ? "the same" : "another"} guest, without any task`, async () => {
      await pve.control.delete("/guests/101");
      await pve.control.post("/guests", { ...box, config: { net0: card("01") } });
      await pve.sync({ thorough: true });
      const { id = 0 } = (await present())[1] ?? {};
      await site.rows("update guest set owner_id = 1 where id = $1", id);
      await pve.control.delete("/guests/101");
      await pve.control.post("/guests", { ...box, ...changes });
      await pve.sync({ thorough: true });
      const [, found] = await present();
      assert.deepEqual([found?.id === id, found?.owner], isSame ? [true, "ann"] : [false, null]);
    });
  }

  it("does not take a failed attempt to create a VMID that is in use for a new guest", async () => {
    await pve.control.post("/tasks/fail", { type: "vzdestroy", vmid: 101, atFraction: 0, message: "storage is busy" });
    const hypervisor = await site.services.hypervisors.of(pve.id);
    const { succeeded } = await hypervisor.waitForTask(await hypervisor.destroy(CONTAINER));
    assert.equal(succeeded, false);
    await pve.sync();
    assert.deepEqual(await present(), [first, second]);
  });

  it("leaves guests alone that a job writes, also when it ended during the sync", async () => {
    await plant(site.services.pool, {
      job: [
        { kind: "guest_delete", status: "running", vmid: 100 },
        { kind: "guest_create", status: "running", vmid: 101 },
        { kind: "guest_create", status: "running", vmid: 102 },
      ],
      resource_lock: [{ key: guestLock(pve.id, 100) }],
    });
    await pve.control.delete("/guests/100");
    await pve.control.delete("/guests/101");
    await pve.control.post("/guests", { ...VM, vmid: 102, name: "made" });
    const end = "update job set status = 'done', finished_at = now() where id in (2, 3)";
    await syncMeanwhile(site.services, pve.id, () => site.rows(end));
    assert.deepEqual(await present(), [first, second]);
    await site.rows("delete from resource_lock");
    await pve.sync();
    assert.deepEqual(
      (await present()).map(({ vmid }) => vmid),
      [102],
    );
  });

  /** A new guest shows no figures for some seconds of the platform's time. */
  async function settled(): Promise<void> {
    const hypervisor = await site.services.hypervisors.of(pve.id);
    await until("no guest is new any longer", async () =>
      (await hypervisor.resources()).guests.every(({ status }) => status !== "unknown"),
    );
  }

  async function replaceContainer(): Promise<void> {
    const hypervisor = await site.services.hypervisors.of(pve.id);
    await hypervisor.waitForTask(await hypervisor.destroy(CONTAINER));
    await hypervisor.waitForTask(await makeContainer());
    await settled();
  }

  async function makeContainer(): Promise<string> {
    const hypervisor = await site.services.hypervisors.of(pve.id);
    const network = { bridge: null, vlan: null, address: null, nameservers: [] };
    return hypervisor.install({
      guest: { type: "lxc", node: "pvea", vmid: 101 },
      image: { kind: "file", volid: TEMPLATE_FILE },
      storage: "local",
      pool: null,
      shape: { name: CONTAINER.name, cores: 1, memoryMb: 512, network },
      diskGb: 4,
      containerRights: { unprivileged: true, nesting: true },
      access: { password: "Init-Pass1", sshKeys: [] },
      note: "made again",
    });
  }
});

describe("guests that the identity may not see", () => {
  let site: Site;
  let pve: ConnectedHost;
  beforeEach(async () => {
    site = await Site.open();
    const tokens = [{ id: "root@pam!panel", secret: "aaaaaaaa-0000-4000-8000-000000000001", privilegeSeparated: true }];
    pve = await site.connect({ tokens });
    pve.host.platform.state.access.roles.set("Nodes", new Set(["Sys.Audit", "Datastore.Audit"]));
    grant("/vms");
    await pve.control.post("/guests", VM);
    await pve.control.post("/guests", CONTAINER);
    await pve.sync();
  });
  afterEach(() => site.close());

  const grant = (...paths: string[]): void => {
    const { rules } = pve.host.platform.state.access;
    rules.splice(0, rules.length, ...["/", ...paths].map(rule));
  };
  const guests = () =>
    site.rows(
      "select vmid, status, unseen_since is not null as unseen, gone_at is not null as gone from guest order by vmid",
    );

  it("do not vanish when VM.Audit is lost; the host's record shows it", async () => {
    grant();
    const { reason } = await refusedAs("platform", pve.sync());
    assert.equal(reason, "PLATFORM_FORBIDDEN");
    const host = await site.row<{ error: string }>("select last_sync_error as error from host");
    assert.match(host?.error ?? "", /VM\.Audit/);
    assert.deepEqual(await guests(), [
      { vmid: 100, status: "stopped", unseen: false, gone: false },
      { vmid: 101, status: "stopped", unseen: false, gone: false },
    ]);
  });

  it("are of unknown state when only some can be seen, until they are seen again", async () => {
    grant("/vms/100");
    await pve.sync();
    const hidden = [
      { vmid: 100, status: "stopped", unseen: false, gone: false },
      { vmid: 101, status: "unknown", unseen: true, gone: false },
    ];
    assert.deepEqual(await guests(), hidden);
    grant("/vms");
    await pve.sync();
    assert.deepEqual(await guests(), [hidden[0], { ...hidden[0], vmid: 101 }]);
  });

  it("are gone when their VMID is free", async () => {
    grant("/vms/100");
    await pve.control.delete("/guests/101");
    await pve.sync();
    assert.deepEqual((await guests())[1], { vmid: 101, status: "unknown", unseen: false, gone: true });
  });
});

/** What the token may see at a path: of guests everything, elsewhere no guests. */
const rule = (path: string): AccessRule => ({
  path,
  type: "token",
  ugid: "root@pam!panel",
  roleid: path === "/" ? "Nodes" : "PVEAuditor",
  propagate: true,
});
