// Which backup jobs take in a guest, and which names of its firewall a host does not define.
import assert from "node:assert/strict";
import { backupsOf, undefinedNames, type BackupJob } from "../../../src/core/migration/attachments.js";

const job = (change: Partial<BackupJob>): BackupJob => ({
  id: "b1",
  enabled: true,
  all: false,
  vmids: [],
  excluded: [],
  pool: null,
  node: null,
  ...change,
});
const guest = { vmid: 100, node: "pve1", pool: "gold" };

describe("core/migration/attachments", () => {
  const jobs: [what: string, change: Partial<BackupJob>, takesIn: boolean][] = [
    ["names the guest", { vmids: [99, 100] }, true],
    ["names others", { vmids: [99, 1000] }, false],
    ["is for all", { all: true }, true],
    ["is for all but the guest", { all: true, excluded: [100] }, false],
    ["is for its pool", { pool: "gold" }, true],
    ["is for its pool but for the guest", { pool: "gold", excluded: [100] }, false],
    ["is for another pool", { pool: "silver" }, false],
    ["runs on its node", { all: true, node: "pve1" }, true],
    ["runs on another node", { all: true, node: "pve2" }, false],
    ["is switched off", { all: true, enabled: false }, false],
  ];
  for (const [what, change, takesIn] of jobs) {
    it(`${takesIn ? "finds" : "passes by"} a backup job that ${what}`, () => {
      assert.deepEqual(backupsOf([job(change)], guest), takesIn ? ["b1"] : []);
    });
  }

  const none = { groups: [], aliases: [], sets: [] };
  const places = [
    "10.0.0.1",
    "10.0.0.0/8,10.1.0.1-10.1.0.9",
    "2001:db8::/32",
    "+dc/admins",
    "+mine",
    "dc/Office",
    "home",
  ];
  const names = { places, groups: ["web"], ownAliases: ["home"], ownSets: ["mine"] };

  it("finds the names that neither the firewall nor the host defines", () => {
    assert.deepEqual(undefinedNames(names, none), ["security group web", "IP set admins", "alias Office"]);
  });

  it("finds names of the host, aliases in any case", () => {
    const host = { groups: ["web"], aliases: ["office"], sets: ["admins"] };
    assert.deepEqual(undefinedNames(names, host), []);
  });
});
