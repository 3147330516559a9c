// Who may use mutations, and on which hosts.
import assert from "node:assert/strict";
import { buildDroverSchema } from "../../resolvers/buildSchema.js";
import { fromNow, plant, type Rows } from "../support/rows.js";
import { startExecution, type Execution } from "./execute.js";

/** Every mutation that only those who manage hosts may use. */
const MANAGING: readonly string[] = [
  'createPlan(input: { name: "p", cores: 1, memoryMb: 512, diskGb: 1 }) { id }',
  'updatePlan(id: 1, input: { name: "p", cores: 1, memoryMb: 512, diskGb: 1 }) { id }',
  'createIpZone(input: { hostId: 1, name: "z", cidr: "10.0.0.0/24", bridge: "vmbr1" }) { id }',
  "deleteIpZone(id: 1)",
  'registerOsTemplate(hostId: 1, node: "a1", vmid: 100, name: "t") { id }',
  'registerCtTemplate(name: "t", volid: "local:vztmpl/t.tar.gz") { id }',
  'createPortForward(guestId: 1, protocol: "tcp", guestPort: 80) { id }',
  "deletePortForward(id: 1)",
  'addHost(name: "h", hostname: "h.example", user: "root@pam", password: "x") { id }',
  'updateHost(id: 1, name: "h") { id }',
  "removeHost(id: 1)",
  "syncHost(id: 1) { id }",
  "setMaintenance(hostId: 1, on: true) { id }",
  'createAgentToken(hostId: 1, node: "a1") { value }',
  "updateSettings(input: { maxSuggestions: 3 }) { maxSuggestions }",
  'createApiToken(input: { name: "t" }) { value }',
  "revokeApiToken(id: 1) { id }",
  "assignNodesToReseller(userId: 2, hostId: 1, nodes: []) { id }",
  "retryJob(id: 1) { id }",
  "giveUpJob(id: 1) { id }",
  "deleteSafetyCopies(guestIds: [1]) { jobId }",
  'startMigration(input: { guestId: 1, targetHostId: 2, targetNode: "b1" }) { id }',
  "retryMigration(id: 1) { id }",
  "startEvacuation(input: { hostId: 1, guestIds: [1] }) { id }",
  "stopEvacuation(id: 1) { id }",
  'startBalanceRun(suggestionIds: ["1.1.a1.2.b1"]) { id }',
  "stopBalanceRun(id: 1) { id }",
];

/** What a token that manages host 1 only cannot do to host 2. */
const BEYOND_SCOPE: readonly string[] = [
  'createIpZone(input: { hostId: 2, name: "z", cidr: "10.0.0.0/24", bridge: "vmbr1" }) { id }',
  'registerOsTemplate(hostId: 2, node: "b1", vmid: 101, name: "t") { id }',
  'addHost(name: "h", hostname: "h.example", user: "root@pam", password: "x") { id }',
  'updateHost(id: 2, name: "h") { id }',
  "removeHost(id: 2)",
  "syncHost(id: 2) { id }",
  "setMaintenance(hostId: 2, on: true) { id }",
  'createAgentToken(hostId: 2, node: "b1") { value }',
  'createGuest(hostId: 2, input: { type: QEMU, node: "auto", name: "g" }) { jobId }',
  'assignNodesToReseller(userId: 2, hostId: 2, nodes: ["b1"]) { id }',
  'powerGuest(hostId: 2, type: LXC, vmid: 100, node: "b1", action: STOP) { upid }',
  'reinstallGuest(hostId: 2, type: LXC, vmid: 100, input: { password: "long enough" }) { jobId }',
  "deleteGuest(hostId: 2, type: LXC, vmid: 100) { jobId }",
  "assignGuest(userId: 3, hostId: 2, type: LXC, vmid: 100) { id }",
  'startMigration(input: { guestId: 1, targetHostId: 2, targetNode: "b1" }) { id }',
  "startEvacuation(input: { hostId: 2, guestIds: [121] }) { id }",
  'startBalanceRun(suggestionIds: ["121.2.b1.1.a1"]) { id }',
];

/** What is of no single host: a token that manages host 1 only leaves it as it is. */
const EVERYWHERE: readonly string[] = [
  'createPlan(input: { name: "p", cores: 1, memoryMb: 512, diskGb: 1 }) { id }',
  'updatePlan(id: 1, input: { name: "p", cores: 1, memoryMb: 512, diskGb: 1 }) { id }',
  'registerCtTemplate(name: "t", volid: "local:vztmpl/t.tar.gz") { id }',
  "updateSettings(input: { maxSuggestions: 3 }) { maxSuggestions }",
  'addSshKey(userId: 3, name: "k", publicKey: "ssh-ed25519 AAAA") { id }',
  "removeSshKey(id: 1)",
  "updateUser(id: 2, input: {}) { id }",
  "resetPassword(userId: 2) { password }",
  "endSessions(userId: 2)",
  "resetSecondFactor(userId: 2)",
];

/** What is named by an id of its own: on host 2 it does not exist for a token that manages host 1 only. */
const UNSEEN: readonly string[] = [
  "deleteIpZone(id: 3)",
  'createPortForward(guestId: 121, protocol: "tcp", guestPort: 80) { id }',
  "deletePortForward(id: 2)",
  "deleteSafetyCopies(guestIds: [122]) { jobId }",
  'startMigration(input: { guestId: 121, targetHostId: 1, targetNode: "a1" }) { id }',
  "retryMigration(id: 1) { id }",
  "retryJob(id: 3) { id }",
  "giveUpJob(id: 3) { id }",
  "stopEvacuation(id: 1) { id }",
  "stopBalanceRun(id: 2) { id }",
  "revokeApiToken(id: 1) { id }",
  "endSession(id: 1)",
];

/** Rows of hosts 2 and 3 that `UNSEEN` names. */
const ELSEWHERE: Rows = {
  ip_zone: [{ host_id: 2 }],
  job: [{ kind: "guest_delete", host_id: 2, status: "failed", parked_at: fromNow(0) }],
  port_forward: [{ node_id: 2, guest_id: 121, public_port: 2222 }],
  run: [{ host_id: 2 }, { kind: "balance_run" }],
  migration: [{ guest_id: 121, source_host_id: 2, target_host_id: 3, status: "failed", error: "x" }],
  run_item: [{ run_id: 2, guest_id: 121, from_host_id: 2, to_host_id: 3, to_node: "g1" }],
};

/** What acts on no host, or has a rule of its own that is tried elsewhere. */
const OTHERWISE: readonly string[] = [
  "login",
  "logout",
  "changePassword",
  "beginTotp",
  "confirmTotp",
  "removeTotp",
  "createUser",
  "deleteUser",
  "createApiToken",
];

const fieldName = (field: string): string => field.slice(0, field.indexOf("("));

describe("resolvers/mutations", () => {
  let execution: Execution;

  beforeEach(async () => {
    execution = await startExecution();
  });
  afterEach(() => execution.services.close());

  it("keeps callers without hosts.manage out of everything that needs it", async () => {
    for (const field of MANAGING) {
      for (const caller of ["plain", "reseller", "customer"] as const) {
        assert.equal(
          (await execution.refuseMutation(caller, field)).reason,
          "PERMISSION_MISSING",
          `${caller}: ${field}`,
        );
      }
      assert.equal((await execution.refuseMutation("nobody", field)).kind, "unauthenticated", field);
    }
  });

  it("asks resellers whose the guest is to be", async () => {
    const refusal = await execution.refuseMutation(
      "reseller",
      'createGuest(hostId: 2, input: { type: LXC, node: "auto", name: "box", planId: 1, lxcTemplateId: 1, password: "long enough" }) { jobId }',
    );
    assert.equal(refusal.kind, "validation");
    assert.match(refusal.message, /owner_id: is required/);
  });

  it("keeps a token within its scope", async () => {
    for (const field of BEYOND_SCOPE) {
      assert.equal((await execution.refuseMutation("scopedManager", field)).reason, "HOST_OUT_OF_SCOPE", field);
    }
  });

  it("keeps a token of bounded scope from what is of no single host", async () => {
    for (const field of EVERYWHERE) {
      assert.equal((await execution.refuseMutation("scopedManager", field)).reason, "HOST_OUT_OF_SCOPE", field);
    }
  });

  it("keeps what is on other hosts from a token's sight", async () => {
    await plant(execution.services.pool, ELSEWHERE);
    for (const field of UNSEEN) {
      assert.equal((await execution.refuseMutation("scopedManager", field)).kind, "notFound", field);
    }
  });

  it("keeps the owner of guests on other hosts from a token's deletion", async () => {
    await execution.rows("update guest set owner_id = 4 where id = 121");
    assert.equal((await execution.refuseMutation("scopedManager", "deleteUser(id: 4)")).reason, "HOST_OUT_OF_SCOPE");
    assert.deepEqual(await execution.mutate("scopedManager", "deleteUser(id: 3)"), { it: true });
    assert.deepEqual(await execution.mutate("plain", "deleteUser(id: 4)"), { it: true });
  });

  it("have each a rule for tokens of bounded scope", () => {
    const known = [...BEYOND_SCOPE, ...EVERYWHERE, ...UNSEEN].map(fieldName);
    const mutations = Object.keys(buildDroverSchema().getMutationType()?.getFields() ?? {});
    assert.deepEqual([...new Set([...known, ...OTHERWISE])].toSorted(byText), mutations.toSorted(byText));
  });
});

const byText = (left: string, right: string): number => left.localeCompare(right);
