// Checks when a host's list of guests is believed: an identity that may not see guests is shown none.
import assert from "node:assert/strict";
import { requireSight } from "../../src/inventory/observe.js";
import { parseResources } from "../../src/hypervisor/proxmox/resources.js";

const nothing = parseResources([]);
const oneGuest = parseResources([{ type: "qemu", vmid: 100, node: "pve1" }]);
const asking = (...privileges: string[]) => ({
  permissions: () => Promise.resolve(new Map([["/vms/100", new Map(privileges.map((name) => [name, true]))]])),
});

describe("inventory/observe", () => {
  it("believes an empty list of an identity that may see guests", async () => {
    await requireSight(asking("VM.Audit"), nothing);
  });

  it("believes a list that shows a guest, without asking for privileges", async () => {
    await requireSight({ permissions: () => assert.fail("asked") }, oneGuest);
  });

  it("believes an empty list of a host that knows no privileges, not of one that grants none", async () => {
    await requireSight({ permissions: () => Promise.resolve(null) }, nothing);
    await assert.rejects(requireSight(asking(), nothing), { reason: "PLATFORM_FORBIDDEN" });
  });

  it("does not believe an empty list of an identity that may see none", async () => {
    await assert.rejects(requireSight(asking("VM.PowerMgmt"), nothing), { reason: "PLATFORM_FORBIDDEN" });
  });
});
