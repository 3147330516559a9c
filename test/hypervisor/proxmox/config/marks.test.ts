// Checks how the marks of a machine are read from its configuration.
import assert from "node:assert/strict";
import { NO_MARKS } from "../../../../src/core/inventory/identity.js";
import { guestMarks } from "../../../../src/hypervisor/proxmox/config/marks.js";

describe("hypervisor/proxmox/config/marks", () => {
  it("reads the marks of a configuration", () => {
    const config = { smbios1: "uuid=AB-CD,base64=1", meta: "creation-qemu=8.1.2,ctime=1700000000", vmgenid: "EF-01" };
    assert.deepEqual(guestMarks(config), { uuid: "ab-cd", createdAt: 1_700_000_000, generation: "ef-01" });
    assert.deepEqual(guestMarks({}), NO_MARKS);
  });
});
