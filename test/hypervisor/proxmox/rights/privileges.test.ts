// What a connection may do on paths that its host lists, and on those that inherit.
import assert from "node:assert/strict";
import {
  describeRights,
  missingRights,
  type Permissions,
  type Right,
} from "../../../../src/hypervisor/proxmox/rights/privileges.js";

const permissions = (paths: Readonly<Record<string, Readonly<Record<string, boolean>>>>): Permissions =>
  new Map(Object.entries(paths).map(([path, privileges]) => [path, new Map(Object.entries(privileges))]));

const right = (path: string, ...privileges: string[]): Right => ({ path, privileges });

describe("hypervisor/proxmox/rights/privileges", () => {
  const held = permissions({
    "/": { "Sys.Audit": true, "Sys.Incoming": false },
    "/vms": { "VM.Audit": true, "VM.Allocate": false },
    "/vms/100": { "VM.Clone": true },
    "/storage": { "Datastore.Audit": false },
    "/access/groups/ops": { "User.Modify": true },
  });

  const cases: [what: string, right: Right, isHeld: boolean][] = [
    ["one that is listed", right("/", "Sys.Incoming"), true],
    ["one that is inherited", right("/nodes/b1", "Sys.Audit"), true],
    ["one that does not propagate", right("/nodes/b1", "Sys.Incoming"), false],
    ["one from the nearest path above", right("/vms/101", "VM.Audit"), true],
    ["one that a nearer rule replaces", right("/vms/100", "VM.Audit"), false],
    ["one from farther above, when nothing nearer propagates", right("/storage/tank", "Sys.Audit"), true],
    ["one that stands on its path only", right("/storage/tank", "Datastore.Audit"), false],
    ["any one of several", right("/vms/100", "VM.Audit", "VM.Clone"), true],
    ["one on a path below, when that is not enough", right("/access/groups", "User.Modify"), false],
    ["one on a path below, when that is enough", { ...right("/access/groups", "User.Modify"), orBelow: true }, true],
    ["another one below", { ...right("/access/groups", "Group.Allocate"), orBelow: true }, false],
  ];
  for (const [what, asked, isHeld] of cases) {
    it(`${isHeld ? "finds" : "does not find"} ${what}`, () =>
      assert.deepEqual(missingRights([asked], held), isHeld ? [] : [asked]));
  }

  it("misses nothing on a host that reports nothing", () => {
    assert.deepEqual(missingRights([right("/", "Sys.Modify")], null), []);
    assert.deepEqual(missingRights([right("/", "Sys.Modify")], new Map()), []);
  });

  it("names rights by their paths", () => {
    const rights = [right("/", "Sys.Audit"), right("/vms/9", "VM.Audit", "VM.Clone"), right("/", "Sys.Incoming")];
    assert.equal(describeRights(rights), "Sys.Audit and Sys.Incoming on /, VM.Audit or VM.Clone on /vms/9");
  });
});
