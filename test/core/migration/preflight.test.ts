// Checks every check of a move: all pass for a plain one, and each finds exactly its own fault.
import assert from "node:assert/strict";
import { firstObstacle, ofSeverity } from "../../../src/core/migration/check.js";
import { GUEST_CHECKS } from "../../../src/core/migration/guestChecks.js";
import { NO_TRAITS } from "../../../src/core/migration/guestTraits.js";
import type { MoveFacts } from "../../../src/core/migration/moveFacts.js";
import { MOVE_CHECKS, preflight } from "../../../src/core/migration/preflight.js";
import { agent, NOW } from "../placement/example.js";
import { blockingCases } from "./blockingCases.js";
import { card, facts, guest, open, source, target } from "./plainMove.js";

/** Packages are known by the release then, and that is known. */
const UNKNOWN_VERSIONS = source({ version: "unstable", qemuServer: null });

const BRIDGE_CODES = ["MTU_TOO_LARGE", "BRIDGE_MTU_SMALLER", "BRIDGE_NOT_VLAN_AWARE"];

describe("core/migration/preflight", () => {
  it("passes a plain guest in every check", () => {
    const checks = preflight(facts);
    assert.deepEqual(ofSeverity(checks, "blocking"), []);
    assert.deepEqual(ofSeverity(checks, "warning"), []);
    assert.equal(new Set(checks.map(({ code }) => code)).size, checks.length);
  });

  for (const [change, code, message] of blockingCases) {
    it(`${code}: ${message}`, () => {
      const problems = ofSeverity(preflight({ ...facts, ...change }), "blocking");
      assert.deepEqual(problems, [{ code, severity: "blocking", message }]);
    });
  }

  it("has a case here for every blocking check", () => {
    const blocking = MOVE_CHECKS.filter(({ severity }) => severity === undefined).map(({ code }) => code);
    const covered = new Set(blockingCases.map(([, code]) => code));
    assert.deepEqual(
      blocking.filter((code) => !covered.has(code)),
      [],
    );
  });

  const fine: [when: string, change: Partial<MoveFacts>][] = [
    ["the agent was seen exactly 180 s ago", source({ agent: agent({ lastSeenAt: NOW - 180_000 }) })],
    ["the target's agent was seen exactly 180 s ago", target({ agent: agent({ lastSeenAt: NOW - 180_000 }) })],
    [
      "the versions are the oldest possible",
      { ...source({ version: "7.3-1" }), ...target({ version: "7.3" }), mode: "restart" },
    ],
    [
      "a live move mirrors from ZFS to LVM",
      {
        storagePairs: [{ source: "tank", sourceType: "zfspool", target: "thin", targetType: "lvmthin", copies: false }],
      },
    ],
    [
      "an offline move goes from a directory to LVM",
      {
        mode: "offline",
        storagePairs: [{ source: "a", sourceType: "dir", target: "b", targetType: "lvmthin", copies: true }],
      },
    ],
    ["no forwards move", { ...target({ agent: null, natConfigured: false }), movingForwards: 0 }],
    ["a stopped guest needs no RAM", { mode: "offline", status: "stopped", memoryMb: 8_192 }],
    ["a card states what its bridge on the target carries", { cards: [{ ...card, mtu: 9000, targetMtu: 9000 }] }],
    ["a container states more than that", { type: "lxc", cards: [{ ...card, mtu: 9000 }] }],
    ["one address of a zone moves along", guest({ panelAddresses: 1 })],
  ];
  for (const [when, change] of fine) {
    it(`does not object when ${when}`, () => {
      assert.deepEqual(ofSeverity(preflight({ ...facts, ...change }), "blocking"), []);
    });
  }

  const unjudged: [when: string, change: Partial<MoveFacts>, codes: string[]][] = [
    ["an agent that is not there cannot be stale", source({ agent: null }), ["SOURCE_AGENT_STALE"]],
    [
      "a target that does not answer",
      target({ online: false, address: null, version: null }),
      ["NO_QUORUM", "TARGET_ADDRESS_UNSUPPORTED", "TARGET_VERSION_OLDER", ...BRIDGE_CODES],
    ],
    ["versions of packages and of the platform", UNKNOWN_VERSIONS, ["TARGET_TUNNEL_OLDER"]],
    ["an architecture", source({ architecture: null }), ["ARCHITECTURE_DIFFERS"]],
    [
      "the architecture of where a stopped guest is to go",
      { ...target({ architecture: null }), mode: "offline" },
      ["STOPPED_ARCHITECTURE_DIFFERS"],
    ],
    [
      "a version that is older than the tunnel",
      { ...source({ version: "9.3.1", qemuServer: "9.3.0" }), ...target({ version: "9.2.11", qemuServer: "9.2.6" }) },
      ["TARGET_VERSION_OLDER"],
    ],
    ["a bridge without a target", { bridges: [open] }, BRIDGE_CODES],
    ["a storage without a target", { storages: [open] }, ["STORAGE_FORMAT_MISMATCH", "NOT_ENOUGH_STORAGE"]],
    ["disks of unknown size", guest({ unsizedDisks: ["scsi0"] }), ["NOT_ENOUGH_STORAGE"]],
    ["volumes of a VMID that a guest has", { targetVmidTaken: true }, ["TARGET_VOLUMES_LEFT"]],
    ["storages that do not list what they have", { volumesLeft: null }, ["TARGET_VOLUMES_LEFT"]],
    [
      "hardware that nobody tells",
      {
        hardware: {
          newerMachine: undefined,
          processors: undefined,
          targetCores: null,
          missingFlags: undefined,
          otherProcessor: undefined,
        },
      },
      ["MACHINE_TYPE_TOO_NEW", "NOT_ENOUGH_CORES", "CPU_MODEL_UNSUPPORTED", "CPU_DIFFERS"],
    ],
    [
      "a firewall that the target does not tell",
      { attachments: { ...facts.attachments, firewallNames: undefined, firewallOff: undefined } },
      ["FIREWALL_NAMES_UNKNOWN", "FIREWALL_OFF_ON_TARGET"],
    ],
  ];
  for (const [when, change, codes] of unjudged) {
    it(`reports neither good nor bad of what cannot be judged: ${when}`, () => {
      const told = new Set(preflight({ ...facts, ...change }).map(({ code }) => code));
      const silent = MOVE_CHECKS.map(({ code }) => code).filter((code) => !told.has(code));
      assert.deepEqual(silent.toSorted(), codes.toSorted());
    });
  }

  it("finds the first obstacle of a guest without running the other checks", () => {
    assert.equal(firstObstacle(GUEST_CHECKS, NO_TRAITS), null);
    const stuck = { ...NO_TRAITS, snapshots: ["pre"], haManaged: true };
    assert.equal(firstObstacle(GUEST_CHECKS, stuck)?.code, "HAS_SNAPSHOTS");
  });
});
