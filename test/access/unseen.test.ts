// What a caller may not see answers every request as what is not there: neither words nor kind of a refusal tell that it exists.
import assert from "node:assert/strict";
import { startPlantedWorld, type Caller, type PlantedWorld } from "./support/plantedWorld.js";

/** `UNSEEN` stands for what is asked about. */
type Request = string;
const UNSEEN = "UNSEEN";

interface Subject {
  readonly what: string;
  /** By caller: what is there, but out of sight. */
  readonly unseen: Partial<Record<Caller, readonly string[]>>;
  /** What is not there. */
  readonly missing: string;
  readonly requests: readonly Request[];
}

const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ7pTyKcfbBgzSs0Bzd6ed5QPp2ASmMY4O1Ym4ZEMrCP";

/** A creation whose fields are these beside what every guest has. */
const creation = (host: string, fields: string): Request =>
  `mutation { createGuest(${host} input: { type: QEMU, node: "auto", name: "new.example", ${fields} }) { jobId } }`;
const reinstallation = (guest: string, input: string): Request =>
  `mutation { reinstallGuest(${guest}, input: { ${input}, password: "long enough" }) { jobId } }`;

const SMALL = 'cores: 1, memoryMb: 512, diskGb: 1, password: "long enough"';
const OF_HOST_1 = "hostId: 1,";

const subjects: readonly Subject[] = [
  {
    what: "a QEMU template",
    unseen: { scoped: ["3"], scopedManager: ["3"], reseller1: ["2", "3"] },
    missing: "99",
    requests: ["", OF_HOST_1].flatMap((host) => [
      creation(host, `${SMALL}, ownerId: 5, osTemplate: "tpl:UNSEEN"`),
      creation(host, `${SMALL}, ownerId: 5, osTemplate: "tpl:UNSEEN", ipSource: "zone:1"`),
      creation(host, `planId: 1, password: "long enough", ownerId: 5, osTemplate: "tpl:UNSEEN"`),
    ]),
  },
  {
    what: "a QEMU template to install",
    unseen: { scoped: ["3"], reseller1: ["2", "3"], customerA: ["2", "3"] },
    missing: "99",
    requests: [reinstallation("hostId: 1, type: QEMU, vmid: 101", 'osTemplate: "tpl:UNSEEN"')],
  },
  {
    what: "a template file",
    unseen: { scoped: ["plantnode2"], reseller1: ["plantnode1b", "plantnode2"] },
    missing: "plantnone",
    requests: ["", OF_HOST_1].map((host) =>
      creation(host, `${SMALL}, ownerId: 5, osTemplate: "UNSEEN-st:vztmpl/UNSEEN-file.tar.zst"`).replace("QEMU", "LXC"),
    ),
  },
  {
    what: "an IP zone",
    unseen: { scoped: ["2"], scopedManager: ["2"] },
    missing: "99",
    requests: [
      ...["", OF_HOST_1].map((host) =>
        creation(host, `${SMALL}, ownerId: 5, osTemplate: "tpl:1", ipSource: "zone:UNSEEN"`),
      ),
      creation("", `${SMALL}, ownerId: 5, osTemplate: "tpl:99", ipSource: "zone:UNSEEN"`),
      "mutation { deleteIpZone(id: UNSEEN) }",
      "{ ipAddresses(zoneId: UNSEEN) { items { address } } }",
      "{ evacuationCandidates(hostId: 1, ipZoneId: UNSEEN) { mode } }",
    ],
  },
  {
    what: "a person",
    unseen: { reseller1: ["1", "4", "6"], scoped: ["1", "2"], plain: ["1", "2"] },
    missing: "99",
    requests: [
      creation(OF_HOST_1, `${SMALL}, ownerId: UNSEEN, osTemplate: "tpl:1"`),
      creation(OF_HOST_1, 'cores: 1, memoryMb: 512, diskGb: 9, ownerId: UNSEEN, osTemplate: "tpl:1"'),
      "mutation { deleteUser(id: UNSEEN) }",
      "mutation { assignGuest(userId: UNSEEN, hostId: 1, type: QEMU, vmid: 101) { id } }",
      "{ user(id: UNSEEN) { id } }",
      "{ sshKeys(userId: UNSEEN) { items { id } meta { total } } }",
    ],
  },
  {
    what: "a person, to whoever knows nobody else",
    unseen: { customerA: ["1", "3", "6", "7"] },
    missing: "99",
    requests: [
      "{ user(id: UNSEEN) { id } }",
      "{ sshKeys(userId: UNSEEN) { items { id } } }",
      "{ guests(filter: { ownerId: UNSEEN }) { items { id } meta { total } } }",
      `mutation { addSshKey(userId: UNSEEN, name: "k", publicKey: "${KEY}") { id } }`,
    ],
  },
  {
    what: "an account",
    unseen: { reseller1: ["1", "4", "6"], scoped: ["1", "2"], plain: ["1", "2"], scopedManager: ["1", "2"] },
    missing: "99",
    requests: [
      'mutation { updateUser(id: UNSEEN, input: { email: "malformed" }) { id } }',
      "mutation { resetPassword(userId: UNSEEN) { password } }",
      "mutation { endSessions(userId: UNSEEN) }",
      "{ sessions(userId: UNSEEN) { id } }",
      "{ signIns(userId: UNSEEN) { items { id } meta { total } } }",
    ],
  },
  {
    what: "a session",
    unseen: {
      scoped: ["1", "3", "5"],
      scopedManager: ["1", "3", "5"],
      plain: ["1", "2"],
      reseller1: ["1", "4", "6"],
      customerA: ["1", "3", "6"],
    },
    missing: "99",
    requests: ["mutation { endSession(id: UNSEEN) }"],
  },
  {
    what: "an SSH key",
    unseen: {
      scoped: ["1", "3"],
      scopedManager: ["1", "3"],
      plain: ["1", "4"],
      reseller1: ["1", "6"],
      customerA: ["1", "3", "6"],
    },
    missing: "99",
    requests: ["mutation { removeSshKey(id: UNSEEN) }"],
  },
  {
    what: "a guest, by its id",
    unseen: { scopedManager: ["4", "5", "6", "8"] },
    missing: "99",
    requests: [
      'mutation { startBalanceRun(suggestionIds: ["UNSEEN.1.plantnode1a.1.plantnode1b"]) { id } }',
      "mutation { deleteSafetyCopies(guestIds: [UNSEEN]) { jobId } }",
      "mutation { startEvacuation(input: { hostId: 1, guestIds: [UNSEEN] }) { id } }",
      'mutation { createPortForward(guestId: UNSEEN, protocol: "tcp", guestPort: 22) { id } }',
      '{ migrationPlan(input: { guestId: UNSEEN, targetHostId: 1, targetNode: "plantnode1a" }) { startable } }',
    ],
  },
  {
    what: "a guest of a host that is known",
    unseen: {
      customerA: ["type: QEMU, vmid: 102", "type: LXC, vmid: 103", "type: QEMU, vmid: 104"],
      reseller1: ["type: QEMU, vmid: 102", "type: LXC, vmid: 103"],
    },
    missing: "type: QEMU, vmid: 777",
    requests: [
      "{ guest(hostId: 1, UNSEEN) { id } }",
      'mutation { powerGuest(hostId: 1, UNSEEN, node: "plantnode1a", action: STOP) { upid } }',
      reinstallation("hostId: 1, UNSEEN", 'osTemplate: "tpl:1"'),
    ],
  },
  {
    what: "a host",
    unseen: { scoped: ["2", "3"], scopedManager: ["2", "3"], reseller1: ["3"] },
    missing: "99",
    requests: [
      "{ host(id: UNSEEN) { id } }",
      "{ nodes(hostId: UNSEEN) { items { name } } }",
      "{ nextVmid(hostId: UNSEEN) }",
      "{ plans(hostId: UNSEEN) { items { id } } }",
      "{ guests(filter: { hostIds: [UNSEEN] }) { items { id } meta { total } } }",
      "{ jobs(filter: { hostIds: [UNSEEN] }) { items { id } meta { total } } }",
      "{ job(id: 1, hostId: UNSEEN) { id } }",
      "{ placementSuggest(input: { type: QEMU, memoryMb: 1, cores: 1, diskGb: 1, hostId: UNSEEN }) { best { node } } }",
      creation("hostId: UNSEEN,", `${SMALL}, ownerId: 5, osTemplate: "tpl:1"`),
      "mutation { setMaintenance(hostId: UNSEEN, on: true) { id } }",
      "mutation { removeHost(id: UNSEEN) }",
      'mutation { createApiToken(input: { name: "x", connectionScope: [UNSEEN] }) { value } }',
    ],
  },
  {
    what: "what moves guests, their ports and tokens",
    unseen: { scopedManager: ["2", "5"] },
    missing: "99",
    requests: [
      "mutation { revokeApiToken(id: UNSEEN) { id } }",
      "mutation { stopBalanceRun(id: UNSEEN) { id } }",
      "mutation { retryMigration(id: UNSEEN) { id } }",
      "{ migration(id: UNSEEN) { id } }",
      "{ balanceRun(id: UNSEEN) { id } }",
    ],
  },
];

describe("access/unseen", () => {
  let world: PlantedWorld;
  before(async () => {
    world = await startPlantedWorld();
  });
  after(() => world.close());

  for (const { what, unseen, missing, requests } of subjects) {
    it(`answers ${what} as if it were not there`, async () => {
      for (const [caller, hidden] of callersOf(unseen)) {
        for (const request of requests) {
          const expected = await answerTo(caller, request, missing);
          for (const one of hidden)
            assert.equal(await answerTo(caller, request, one), expected, `${caller}: ${request}`);
        }
      }
    });
  }

  /** The answer as text, without the value that was asked about. */
  async function answerTo(caller: Caller, request: Request, value: string): Promise<string> {
    const { data, refusals, faults } = await world.ask(caller, request.replaceAll(UNSEEN, value));
    assert.deepEqual(faults, []);
    return JSON.stringify({ data, refusals }).replaceAll(namesIn(value), UNSEEN);
  }
});

/** Numbers and names of a value, as a refusal may repeat them. */
const namesIn = (value: string): RegExp =>
  new RegExp(String.raw`\b(?:${(value.match(/plant\w+|\d+|QEMU|LXC/g) ?? []).join("|")})\b`, "gi");

function callersOf(unseen: Subject["unseen"]): (readonly [Caller, readonly string[]])[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are callers
  return Object.entries(unseen) as [Caller, readonly string[]][];
}
