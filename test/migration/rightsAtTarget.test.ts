// What the target is asked about its rights: for the node, the VMID, the storages and the bridges that the guest goes to.
import assert from "node:assert/strict";
import type { Arrival, Newcomer, ReceivingRights } from "../../src/hypervisor/rights.js";
import { rightsAtTarget } from "../../src/migration/rightsAtTarget.js";
import { configOf } from "../support/tinyPlatform.js";

const MISSING: ReceivingRights = {
  missing: "Datastore.AllocateSpace on /storage/fast",
  missingToLimit: null,
  modification: null,
  missingForTags: null,
};
const REFUSAL = { words: "no such privilege", at: 0 };
const TARGET = {
  nodeId: 2,
  hostName: "beta",
  byToken: true,
  allowUnrestrictedMoveToken: false,
  tokenRefusal: REFUSAL,
  hostname: "beta.example",
  port: 8006,
  isCluster: false,
  tlsFingerprint: null,
  active: true,
  natConfigured: false,
  version: null,
  qemuServer: null,
  pveContainer: null,
  architecture: null,
};

const choice = (source: string, target: string | null) => ({ source, target, options: [], preselected: true });
const MOVE = {
  guest: { type: "qemu" },
  source: { config: configOf("web", {}, "") },
  records: { target: TARGET },
  place: { node: "pve2", vmid: 120 },
  storages: [choice("local", "fast"), choice("slow", "fast"), choice("old", null), choice("zfs", "zfs")],
  bridges: [choice("vmbr0", "vmbr9"), choice("vmbr1", null)],
} as const;

/** The answer, and what the target was asked. */
function ask(byJob: boolean) {
  const asked: { newcomer: Newcomer; arrival: Arrival; byToken: boolean }[] = [];
  const authority = {
    missingForHost: null,
    missingForGuests: null,
    rightsFor: (newcomer: Newcomer, arrival: Arrival, byToken: boolean) => {
      asked.push({ newcomer, arrival, byToken });
      return MISSING;
    },
  };
  const rights = rightsAtTarget({ ...MOVE, byJob, seen: { version: "9.2.1", authority, networks: [] } });
  return { rights, asked };
}

describe("migration/rightsAtTarget", () => {
  it("asks about each storage and bridge once that something is mapped to, and about none for what is not", () => {
    const { asked, rights } = ask(false);
    const arrival = { node: "pve2", vmid: 120, version: "9.2.1", networks: [], storages: ["fast", "zfs"] };
    assert.deepEqual(asked, [
      {
        newcomer: { type: "qemu", config: MOVE.source.config, bridgeMap: new Map([["vmbr0", "vmbr9"]]) },
        arrival: { ...arrival, bridges: ["vmbr9"] },
        byToken: true,
      },
    ]);
    assert.deepEqual(rights, { host: "beta", unrestrictedAllowed: false, tokenRefusal: REFUSAL, ...MISSING });
  });

  it("leaves what the target said to others out for the move's own job, which asks for the token itself", () => {
    assert.equal(ask(true).rights.tokenRefusal, null);
  });

  it("lacks nothing where the target does not report its rights", () => {
    const seen = { version: null, authority: null, networks: [] };
    const { missing, missingToLimit, modification, missingForTags } = rightsAtTarget({ ...MOVE, byJob: false, seen });
    assert.deepEqual([missing, missingToLimit, modification, missingForTags], [null, null, null, null]);
  });
});
