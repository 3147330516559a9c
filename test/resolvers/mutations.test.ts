// Who may use mutations, and on which hosts.
import assert from "node:assert/strict";
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
];

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
});
