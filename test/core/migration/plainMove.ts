// The facts of a move that nothing speaks against, to be changed in one place at a time.
import { FITS } from "../../../src/core/migration/hardware.js";
import { NO_TRAITS, type GuestTraits } from "../../../src/core/migration/guestTraits.js";
import type { MoveFacts, MoveTarget } from "../../../src/core/migration/moveFacts.js";
import { agent, NOW } from "../placement/example.js";

export const mapped = { source: "tank", target: "tank", options: ["tank"], preselected: true };
export const open = { ...mapped, target: null, preselected: false };

export const card = { card: "net0", mtu: null, source: "vmbr0", sourceMtu: 1500, target: "vmbr1", targetMtu: 1500 };

const versions = { version: "8.4.5", qemuServer: "8.4.2", pveContainer: "5.3.0", architecture: "amd64" };

export const facts: MoveFacts = {
  now: NOW,
  agentStaleSeconds: 180,
  type: "qemu",
  guest: NO_TRAITS,
  status: "running",
  mode: "live",
  memoryMb: 4_096,
  source: { hostId: 1, node: "a1", ...versions, agent: agent(), quorate: true },
  target: {
    hostId: 2,
    node: "b1",
    ...versions,
    agent: agent(),
    quorate: true,
    online: true,
    address: "b1.example",
    maintenance: false,
    natConfigured: true,
    freeMemoryMb: 4_096,
    memoryMb: 8_192,
    rights: {
      host: "rack2",
      missing: null,
      missingToLimit: null,
      unrestrictedAllowed: false,
      modification: null,
      missingForTags: null,
      tokenRefusal: null,
    },
  },
  reachability: { reachable: true },
  movingForwards: 2,
  targetVmid: 100,
  targetVmidTaken: false,
  storages: [mapped],
  storagePairs: [{ source: "tank", sourceType: "zfspool", target: "tank", targetType: "zfspool", copies: true }],
  bridges: [{ ...mapped, source: "vmbr0", target: "vmbr0" }],
  cards: [card],
  vlanCards: [],
  stateStorage: null,
  missingStateStorage: null,
  shortfalls: [],
  volumesLeft: [],
  ipProblem: null,
  attachments: { pool: null, backupJobs: [], accessRules: [], firewallNames: [], firewallOff: false },
  hardware: FITS,
};

export const REFUSAL = { words: "tokens are off", at: NOW };
export const refusedSince = (age: string): string =>
  `host rack2 refused the temporary token of a move ${age} ago: tokens are off; sync the host once it permits one`;

export const source = (change: Partial<MoveFacts["source"]>): Partial<MoveFacts> => ({
  source: { ...facts.source, ...change },
});
export const target = (change: Partial<MoveTarget>): Partial<MoveFacts> => ({ target: { ...facts.target, ...change } });
export const rights = (change: Partial<MoveTarget["rights"]>): Partial<MoveFacts> =>
  target({ rights: { ...facts.target.rights, ...change } });
export const guest = (change: Partial<GuestTraits>): Partial<MoveFacts> => ({ guest: { ...NO_TRAITS, ...change } });
