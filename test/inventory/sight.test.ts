// Checks when a host's list of guests is believed: an identity that may not see guests is shown none.
import assert from "node:assert/strict";
import { requireSight } from "../../src/inventory/observe.js";
import { parseResources } from "../../src/hypervisor/proxmox/resources.js";

const nothing = parseResources([]);
const oneGuest = parseResources([{ type: "qemu", vmid: 100, node: "pve1" }]);
const lacking = (missingForGuests: string | null) => ({
  sight: () => Promise.resolve({ missingForHost: null, missingForGuests }),
});

describe("inventory/observe", () => {
  it("believes an empty list of an identity that may see guests", async () => {
    await requireSight(lacking(null), nothing);
  });

  it("believes a list that shows a guest, without asking what the identity sees", async () => {
    await requireSight({ sight: () => assert.fail("asked") }, oneGuest);
  });

  it("does not believe an empty list of an identity that may see none, and names what is missing", async () => {
    await assert.rejects(requireSight(lacking("VM.Audit"), nothing), {
      reason: "PLATFORM_FORBIDDEN",
      message: "the connection's identity may not see guests (VM.Audit is missing)",
    });
  });
});
