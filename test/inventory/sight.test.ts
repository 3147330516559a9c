// Checks when a host's list of guests is believed: an identity that may not see guests is shown none.
import assert from "node:assert/strict";
import { requireSight } from "../../src/inventory/observe.js";
import { parseResources } from "../../src/hypervisor/proxmox/resources.js";

const nothing = parseResources([]);
const oneGuest = parseResources([{ type: "qemu", vmid: 100, node: "pve1" }]);
const mayAudit = new Map([["/vms/100", new Set(["VM.Audit"])]]);

describe("inventory/observe", () => {
  it("believes an empty list of an identity that may see guests", () => {
    assert.doesNotThrow(() => requireSight(mayAudit, nothing));
  });

  it("believes a list that shows a guest, whatever else is told of privileges", () => {
    assert.doesNotThrow(() => requireSight(new Map(), oneGuest));
  });

  it("does not believe an empty list of an identity that may see none", () => {
    assert.throws(() => requireSight(new Map(), nothing), { reason: "PLATFORM_FORBIDDEN" });
  });
});
