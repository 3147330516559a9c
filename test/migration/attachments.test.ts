// What a guest loses with its host, by what both hosts keep: its backups, and a firewall that filters.
import assert from "node:assert/strict";
import type { BackupJob } from "../../src/core/migration/attachments.js";
import type { GuestFirewall, HostFirewall } from "../../src/hypervisor/firewall.js";
import { attachmentsOf } from "../../src/migration/attachments.js";

const GUEST = { type: "qemu", node: "pve1", vmid: 100 } as const;
const PLACE = { node: "pve2", vmid: 120 };
const FILTERING: GuestFirewall = { options: { enable: "1" }, aliases: [], sets: [], rules: [], complaints: [] };
const OPEN: GuestFirewall = { ...FILTERING, options: { enable: "0" } };
const NIGHTLY: BackupJob = { id: "nightly", enabled: true, all: true, vmids: [], excluded: [], pool: null, node: null };

const firewall = (enabled: boolean): HostFirewall => ({ enabled, groups: [], aliases: [], sets: [] });
const [ON, OFF] = [firewall(true), firewall(false)];

const hostWith = (backupJobs: readonly BackupJob[], of: HostFirewall | null = ON) => ({
  backupJobs,
  firewall: of,
});
const source = { guest: GUEST, pool: null, access: [] };

const backupsLost = (from: readonly BackupJob[], to: readonly BackupJob[]) =>
  attachmentsOf({ ...source, ...hostWith(from), own: null }, hostWith(to), PLACE).backupJobs;

describe("migration/attachments", () => {
  const cases: readonly (readonly [
    what: string,
    own: GuestFirewall | null,
    from: HostFirewall | null,
    to: HostFirewall | null,
    off: boolean | undefined,
  ])[] = [
    ["is switched off when it is on at the source and off at the target", FILTERING, ON, OFF, true],
    ["goes on when it is on at both", FILTERING, ON, ON, false],
    ["has filtered nothing while it was off at the source", FILTERING, OFF, OFF, false],
    ["filters nothing that is not filtered itself", OPEN, ON, OFF, false],
    ["does not matter to a guest without filtered cards", null, ON, OFF, false],
    ["may be switched off when the source does not tell", FILTERING, null, OFF, undefined],
    ["may be switched off when the target does not tell", FILTERING, ON, null, undefined],
    ["goes on when it is on at the target, whatever it was at the source", FILTERING, null, ON, false],
  ];
  for (const [what, own, from, to, off] of cases) {
    it(`a host's firewall ${what}`, () => {
      const found = attachmentsOf({ ...source, ...hostWith([], from), own }, hostWith([], to), PLACE);
      assert.equal(found.firewallOff, off);
    });
  }

  it("backups are lost unless a job of the target takes the guest in, under its new VMID", () => {
    assert.deepEqual(backupsLost([NIGHTLY], []), ["nightly"]);
    assert.deepEqual(backupsLost([NIGHTLY], [NIGHTLY]), []);
    const chosen = { ...NIGHTLY, all: false };
    assert.deepEqual(backupsLost([NIGHTLY], [{ ...chosen, vmids: [PLACE.vmid] }]), []);
    assert.deepEqual(backupsLost([NIGHTLY], [{ ...chosen, vmids: [GUEST.vmid] }]), ["nightly"]);
    assert.deepEqual(backupsLost([], []), []);
  });
});
