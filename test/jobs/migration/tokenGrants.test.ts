// What the temporary token of a move may do on the target while the guest moves, and what is left of it afterwards.
import assert from "node:assert/strict";
import type { Release } from "../../../simulator/version.js";
import { setSpeed } from "./faults.js";
import {
  guestOn,
  leftovers,
  migrationRow,
  NOTHING_LEFT,
  openMoveStage,
  placeAndSync,
  queueMove,
  run,
  type GuestToMove,
  type MoveStage,
} from "./stage.js";
import { until } from "../../support/until.js";

const GUEST_PRIVILEGES = [
  "VM.Allocate",
  "VM.Config.CDROM",
  "VM.Config.CPU",
  "VM.Config.Cloudinit",
  "VM.Config.Disk",
  "VM.Config.HWType",
  "VM.Config.Memory",
  "VM.Config.Network",
  "VM.Config.Options",
  "VM.PowerMgmt",
];

const ROLES: Readonly<Record<string, readonly string[]>> = {
  DroverMigration: ["Sys.Audit", "Sys.Incoming"],
  DroverMigrationGuest: GUEST_PRIVILEGES,
};
const MODIFYING_ROLES: Readonly<Record<string, readonly string[]>> = {
  DroverMigrationModify: ["Sys.Audit", "Sys.Incoming", "Sys.Modify"],
  DroverMigrationGuest: GUEST_PRIVILEGES,
};

describe("the temporary token of a move", function () {
  this.timeout(300_000);
  let stage: MoveStage;
  afterEach(() => stage.close());

  const access = () => stage.target.host.platform.state.access;

  const rulesOfTokens = () =>
    access()
      .rules.filter(({ type }) => type === "token")
      .map(({ path, roleid, propagate }) => ({ path, roleid, propagate }));

  const keptRoles = () =>
    Object.fromEntries(
      [...access().roles]
        .filter(([name]) => name.startsWith("Drover"))
        .map(([name, privileges]) => [name, [...privileges].toSorted()]),
    );

  const tokens = () =>
    [...(access().users.get("root@pam")?.tokens ?? [])].flatMap(([name, { privilegeSeparated, expire }]) =>
      name.startsWith("mig-") ? [{ privilegeSeparated, expires: expire > Date.now() / 1000 + 6 * 3600 - 60 }] : [],
    );

  /** @returns what there is on the target while the guest moves there */
  const moveAndLook = async (guest: GuestToMove) => {
    const guestId = await placeAndSync(stage, guest);
    await setSpeed(stage.source, { bytesPerSecond: 1024 ** 2 });
    const { migrationId, jobId } = await queueMove(stage, guestId);
    const running = run(stage, jobId);
    await until("the guest is arriving", () => guestOn(stage.target, guest.vmid));
    const seen = { tokens: tokens(), rules: rulesOfTokens(), roles: keptRoles() };
    await setSpeed(stage.source, { bytesPerSecond: 1024 ** 4 });
    await running;
    const row = await migrationRow(stage, migrationId);
    assert.deepEqual([row["status"], row["error"]], ["done", null]);
    return seen;
  };

  const cases: readonly {
    readonly what: string;
    readonly release: Release;
    readonly guest: GuestToMove;
    readonly roles: Readonly<Record<string, readonly string[]>>;
    readonly networks: readonly string[];
  }[] = [
    {
      what: "a machine",
      release: "9.2",
      guest: { type: "qemu", vmid: 301, status: "running" },
      roles: ROLES,
      networks: ["/sdn/zones/localnetwork/vmbr0"],
    },
    {
      what: "an unprivileged container",
      release: "8.4",
      guest: { type: "lxc", vmid: 302, status: "running", config: { unprivileged: 1 } },
      roles: ROLES,
      networks: ["/sdn/zones/localnetwork/vmbr0"],
    },
    {
      what: "a machine with a start order",
      release: "9.2",
      guest: { type: "qemu", vmid: 303, status: "stopped", config: { startup: "order=1" } },
      roles: MODIFYING_ROLES,
      networks: ["/sdn/zones/localnetwork/vmbr0"],
    },
    {
      what: "a machine, to a release that knows no rights on networks",
      release: "7.4",
      guest: { type: "qemu", vmid: 304, status: "stopped" },
      roles: ROLES,
      networks: [],
    },
  ];
  for (const { what, release, guest, roles, networks } of cases) {
    it(`may bring ${what}, and nothing else`, async () => {
      stage = await openMoveStage({ targetRelease: release });
      const seen = await moveAndLook(guest);
      const [onRoot] = Object.keys(roles);
      assert.deepEqual(seen, {
        tokens: [{ privilegeSeparated: true, expires: true }],
        rules: [
          { path: "/", roleid: onRoot, propagate: false },
          { path: `/vms/${guest.vmid}`, roleid: "DroverMigrationGuest", propagate: false },
          { path: "/storage/local", roleid: "PVEDatastoreUser", propagate: false },
          ...networks.map((path) => ({ path, roleid: "PVESDNUser", propagate: true })),
        ],
        roles,
      });
      assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
      assert.deepEqual(keptRoles(), roles, "the roles stay for the next move");
    });
  }

  it("gets a role that another user has widened only after it has its privileges again", async () => {
    stage = await openMoveStage();
    access().roles.set("DroverMigration", new Set(["Sys.Audit", "Sys.Incoming", "Sys.Modify", "Permissions.Modify"]));
    const { roles } = await moveAndLook({ type: "qemu", vmid: 305, status: "stopped" });
    assert.deepEqual(roles, ROLES);
  });

  it("may change the target's system only for tags that are registered there", async () => {
    stage = await openMoveStage();
    stage.target.host.platform.state.registeredTags.add("gold");
    const plain = await moveAndLook({ type: "qemu", vmid: 306, status: "stopped", config: { tags: "web" } });
    assert.equal(plain.rules[0]?.roleid, "DroverMigration");
    const gold = await moveAndLook({ type: "qemu", vmid: 307, status: "stopped", config: { tags: "gold" } });
    assert.equal(gold.rules[0]?.roleid, "DroverMigrationModify");
  });
});
