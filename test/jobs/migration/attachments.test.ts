// Plans of guests for which their host keeps more than their configuration: what does not go along is told by name.
import assert from "node:assert/strict";
import type { GuestType } from "../../../src/core/enums.js";
import {
  guestOn,
  migrationRow,
  moveInput,
  openMoveStage,
  placeAndSync,
  plan,
  queueMove,
  run,
  type MoveStage,
} from "./stage.js";

const FIREWALL = `[OPTIONS]

enable: 1

[ALIASES]

own 198.51.100.1

[IPSET visitors]

dc/office
own

[RULES]

GROUP web
IN ACCEPT -source +dc/admins
IN DROP -source own -dest +visitors
`;
const DEFINITIONS = `[OPTIONS]

enable: 1

[ALIASES]

office 192.0.2.0/24

[IPSET admins]

192.0.2.9

[group web]

IN HTTP(ACCEPT)
`;

describe("the plan of a guest for which its host keeps something", function () {
  this.timeout(300_000);
  let stage: MoveStage;
  before(async () => {
    stage = await openMoveStage();
  });
  after(() => stage.close());

  const warned = async (guestId: number): Promise<Record<string, string>> => {
    const { problems, warnings } = await plan(stage, moveInput(stage, guestId));
    assert.deepEqual(problems, []);
    return Object.fromEntries(warnings.map(({ code, message }) => [code, message]));
  };
  const stateOf = (side: "source" | "target") => stage[side].host.platform.state;

  for (const [vmid, type, net0] of [
    [801, "qemu", "virtio=BC:24:11:00:08:01,bridge=vmbr0,firewall=1"],
    [802, "lxc", "name=eth0,bridge=vmbr0,firewall=1,hwaddr=BC:24:11:00:08:02,type=veth"],
  ] as readonly [number, GuestType, string][]) {
    it(`warns of a pool, backup jobs and access rules that stay: ${type}`, async () => {
      const guestId = await placeAndSync(stage, { type, vmid, status: "stopped", config: { net0 } });
      assert.deepEqual(await warned(guestId), {});
      const { access, backedUp } = stateOf("source");
      access.pools.set(type, { poolid: type, comment: "", vmids: new Set([vmid]), storages: new Set() });
      access.rules.push({ path: `/vms/${vmid}`, type: "user", ugid: "root@pam", roleid: "PVEVMUser", propagate: true });
      backedUp.add(vmid);
      assert.deepEqual(await warned(guestId), {
        POOL_LEFT_BEHIND: `the guest is in pool ${type} of the source, and will be in none on the target`,
        BACKUPS_LEFT_BEHIND: "backup jobs of the source take in the guest, and none of the target will: backup-named",
        ACCESS_RULES_LEFT_BEHIND: "rights on the guest stay on the source: PVEVMUser of root@pam",
      });
      stateOf("target").backsUpAll = true;
      assert.equal((await warned(guestId))["BACKUPS_LEFT_BEHIND"], undefined);
      stateOf("target").backsUpAll = false;
      access.pools.clear();
      access.rules = access.rules.filter(({ path }) => path !== `/vms/${vmid}`);
      backedUp.clear();
    });

    it(`warns of what its firewall names and the target does not define, and of a firewall that is off: ${type}`, async () => {
      const guest = guestOn(stage.source, vmid);
      assert.ok(guest);
      guest.firewall = FIREWALL;
      stateOf("source").firewall = DEFINITIONS;
      const { rows } = await stage.services.pool.query<{ id: number }>("select id from guest where vmid = $1", [vmid]);
      const guestId = rows[0]?.id ?? 0;
      assert.deepEqual(await warned(guestId), {
        FIREWALL_NAMES_UNKNOWN:
          "the target skips rules of the guest's firewall, since it does not define what they name: security group web, IP set admins, alias office",
        FIREWALL_OFF_ON_TARGET: "the guest's firewall is in force, and that of pveb is switched off as a whole",
      });
      stateOf("target").firewall = DEFINITIONS;
      assert.deepEqual(await warned(guestId), {});
      guest.config["net0"] = net0.replace(",firewall=1", "");
      stateOf("target").firewall = null;
      assert.deepEqual(await warned(guestId), {}, "none of its cards is filtered");
    });
  }

  it("stays readable after the move, which is none the worse for it", async () => {
    const guestId = await placeAndSync(stage, { type: "lxc", vmid: 803, status: "stopped" });
    stateOf("source").backedUp.add(803);
    const { migrationId, jobId } = await queueMove(stage, guestId);
    await run(stage, jobId);
    const { status, foreseen } = await migrationRow(stage, migrationId);
    const warning = "backup jobs of the source take in the guest, and none of the target will: backup-named";
    assert.deepEqual([status, foreseen], ["done", [`BACKUPS_LEFT_BEHIND: ${warning}`]]);
  });
});
