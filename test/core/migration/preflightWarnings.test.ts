// Checks what a move is warned of: each by itself, and nothing of a plain one.
import assert from "node:assert/strict";
import { ofSeverity } from "../../../src/core/migration/check.js";
import { configuredTraits } from "../../../src/hypervisor/proxmox/config/traits.js";
import type { MoveFacts } from "../../../src/core/migration/moveFacts.js";
import { preflight } from "../../../src/core/migration/preflight.js";
import { card, facts, guest, rights, source, target } from "./plainMove.js";

const warnings = (change: Partial<MoveFacts>): string[] =>
  ofSeverity(preflight({ ...facts, ...change }), "warning").map(({ code }) => code);

const having = (change: Partial<MoveFacts["attachments"]>): string[] =>
  warnings({ attachments: { ...facts.attachments, ...change } });

describe("core/migration/preflight warns", () => {
  it("of live moves to older nodes, and from nodes that fail them", () => {
    assert.deepEqual(warnings(target({ version: "8.3" })), ["TARGET_VERSION_OLDER"]);
    assert.deepEqual(warnings({ ...target({ version: "8.3" }), mode: "offline" }), []);
    assert.deepEqual(warnings({ ...source({ version: "8.2.4" }) }), ["LIVE_UNRELIABLE"]);
    assert.deepEqual(warnings({ ...source({ version: "8.2.4" }), mode: "offline" }), []);
  });

  it("of stopped guests that go to processors of another architecture", () => {
    const change = { ...target({ architecture: "arm64" }), mode: "offline" } as const;
    assert.deepEqual(warnings(change), ["STOPPED_ARCHITECTURE_DIFFERS"]);
  });

  it("of what the source may do on the target beyond bringing the guest", () => {
    const modification = { reason: "is a privileged container", right: "Sys.Modify on /" };
    assert.deepEqual(warnings(rights({ modification })), ["TARGET_TOKEN_MODIFIES"]);
    const missingToLimit = "Permissions.Modify on /";
    assert.deepEqual(warnings(rights({ missingToLimit, unrestrictedAllowed: true })), ["TARGET_TOKEN_UNRESTRICTED"]);
    assert.deepEqual(warnings(rights({ unrestrictedAllowed: true })), []);
  });

  it("of tags, frames, VLANs and states that the target may not take", () => {
    assert.deepEqual(warnings({ vlanCards: ["net0 to vmbr1"] }), ["BRIDGE_NOT_VLAN_AWARE"]);
    assert.deepEqual(warnings({ missingStateStorage: "tank" }), ["STATE_STORAGE_MISSING"]);
    assert.deepEqual(warnings(rights({ missingForTags: "Sys.Modify on /" })), ["TAGS_MAY_BE_REFUSED"]);
    assert.deepEqual(warnings({ cards: [{ ...card, sourceMtu: 1501 }] }), ["BRIDGE_MTU_SMALLER"]);
    assert.deepEqual(warnings({ cards: [{ ...card, sourceMtu: 9000, mtu: 1400 }] }), []);
  });

  it("of a machine whose cloud-init files stay behind", () => {
    const config = { cicustom: "user=local:snippets/user.yml,network=local:snippets/net.yml" };
    const { cloudInitFiles } = configuredTraits("qemu", config);
    assert.deepEqual(cloudInitFiles, ["local:snippets/user.yml", "local:snippets/net.yml"]);
    assert.deepEqual(warnings(guest({ cloudInitFiles })), ["HAS_CLOUD_INIT_FILES"]);
  });

  it("of what the host keeps for the guest, each by itself", () => {
    assert.deepEqual(having({ pool: "gold" }), ["POOL_LEFT_BEHIND"]);
    assert.deepEqual(having({ backupJobs: ["b1"] }), ["BACKUPS_LEFT_BEHIND"]);
    assert.deepEqual(having({ accessRules: ["PVEVMUser of ann@pve"] }), ["ACCESS_RULES_LEFT_BEHIND"]);
    assert.deepEqual(having({ firewallNames: ["alias office"] }), ["FIREWALL_NAMES_UNKNOWN"]);
    assert.deepEqual(having({ firewallOff: true }), ["FIREWALL_OFF_ON_TARGET"]);
  });
});
