// Which rights on the target's root a guest needs, and which of them its connection lacks.
import assert from "node:assert/strict";
import { isTagRefusalPossible, missingPrivileges, rootPrivileges } from "../../../src/core/migration/targetRights.js";

const TUNNEL = ["Sys.Audit", "Sys.Incoming"];

describe("core/migration/targetRights", () => {
  const cases: [what: string, needed: string[], ...Parameters<typeof rootPrivileges>][] = [
    ["a machine", TUNNEL, "qemu", {}, "9.2"],
    ["a machine with a start order", [...TUNNEL, "Sys.Modify"], "qemu", { startup: "order=1" }, "7.3"],
    ["an unprivileged container", TUNNEL, "lxc", { unprivileged: "1" }, "9.2"],
    ["a privileged container, to 8.4", TUNNEL, "lxc", {}, "8.4"],
    ["a privileged container, to 9.0", [...TUNNEL, "Sys.Modify"], "lxc", {}, "9.0"],
  ];
  for (const [what, needed, ...given] of cases) {
    it(`are those for ${what}`, () => assert.deepEqual(rootPrivileges(...given), needed));
  }

  it("are missing when the connection has others, and not known when it was not asked", () => {
    assert.deepEqual(missingPrivileges(TUNNEL, new Set(["Sys.Audit", "Sys.Modify"])), ["Sys.Incoming"]);
    assert.deepEqual(missingPrivileges(TUNNEL, new Set(TUNNEL)), []);
    assert.deepEqual(missingPrivileges(TUNNEL, null), []);
  });

  it("may lack what registered tags need", () => {
    assert.equal(isTagRefusalPossible({ tags: "gold" }, new Set(TUNNEL)), true);
    assert.equal(isTagRefusalPossible({ tags: "gold" }, new Set(["Sys.Modify"])), false);
    assert.equal(isTagRefusalPossible({ tags: "" }, new Set()), false);
    assert.equal(isTagRefusalPossible({ tags: "gold" }, null), false);
  });
});
