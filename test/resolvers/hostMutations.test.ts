// Settings, maintenance, agent tokens and new guests over the whole way from the document to the database.
import assert from "node:assert/strict";
import { startExecution, type Execution } from "./execute.js";

describe("resolvers/hostMutations", () => {
  let execution: Execution;

  beforeEach(async () => {
    execution = await startExecution();
  });
  afterEach(() => execution.services.close());

  it("changes settings, and leaves the others", async () => {
    assert.deepEqual(
      await execution.mutate(
        "admin",
        "updateSettings(input: { ramWeight: 1, migrationBandwidthMib: 50 }) { ramWeight cpuWeight migrationBandwidthMib }",
      ),
      {
        it: { ramWeight: 1, cpuWeight: 0.3, migrationBandwidthMib: 50 },
      },
    );
  });

  it("turns maintenance on and off", async () => {
    const on = await execution.mutate(
      "scopedManager",
      "setMaintenance(hostId: 1, on: true) { maintenance maintenanceSince nodes { maintenance } }",
    );
    assert.match(
      JSON.stringify(on),
      /"maintenance":true,"maintenanceSince":"[\d-]+T[\d:.]+Z","nodes":\[\{"maintenance":true\}\]/,
    );
    assert.deepEqual(
      await execution.mutate("manager", "setMaintenance(hostId: 1, on: false) { maintenance maintenanceSince }"),
      {
        it: { maintenance: false, maintenanceSince: null },
      },
    );
    assert.equal(
      (await execution.refuseMutation("manager", "setMaintenance(hostId: 99, on: true) { id }")).kind,
      "notFound",
    );
  });

  it("makes agent tokens", async () => {
    assert.match(
      JSON.stringify(
        await execution.mutate("manager", 'createAgentToken(hostId: 2, node: "b2") { hostId node value }'),
      ),
      /"hostId":2,"node":"b2","value":"dra_/,
    );
  });

  it("queues the creation of a guest", async () => {
    const input =
      '{ type: QEMU, node: "a1", name: "fresh", vmid: 500, memoryMb: 256, cores: 1, diskGb: 4, osTemplate: "tpl:1", password: "long enough", ipSource: "zone:1" }';
    const data = await execution.mutate(
      "plain",
      `createGuest(hostId: 1, input: ${input}) { queued jobId vmid placement { hostId node storage } }`,
    );
    assert.deepEqual(data, {
      it: { queued: true, jobId: 3, vmid: 500, placement: { hostId: 1, node: "a1", storage: "local" } },
    });
    assert.equal(
      (await execution.refuseMutation("customer", `createGuest(hostId: 1, input: ${input}) { jobId }`)).reason,
      "PERMISSION_MISSING",
    );
    assert.equal(
      (await execution.refuseMutation("plain", `createGuest(hostId: 1, input: ${input}) { jobId }`)).reason,
      "VMID_TAKEN",
    );
  });
});
