// Plans, IP zones and templates over the whole way from the document to the database.
import assert from "node:assert/strict";
import { meet } from "../support/meet.js";
import { startExecution, type Execution } from "./execute.js";

describe("resolvers/catalogueMutations", () => {
  let execution: Execution;

  beforeEach(async () => {
    execution = await startExecution();
  });
  afterEach(() => execution.services.close());

  it("makes and replaces plans", async () => {
    const plan = "{ id name cores memoryMb diskGb trafficGb runtimeDays active }";
    const made = {
      id: 3,
      name: "big",
      cores: 8,
      memoryMb: 16384,
      diskGb: 200,
      trafficGb: 1000,
      runtimeDays: null,
      active: true,
    };
    const input = 'name: " big ", cores: 8, memoryMb: 16384, diskGb: 200';
    assert.deepEqual(await execution.mutate("manager", `createPlan(input: { ${input}, trafficGb: 1000 }) ${plan}`), {
      it: made,
    });
    const changed = { ...made, trafficGb: null, runtimeDays: 30, active: false };
    assert.deepEqual(
      await execution.mutate(
        "manager",
        `updatePlan(id: 3, input: { ${input}, runtimeDays: 30, active: false }) ${plan}`,
      ),
      { it: changed },
    );
    assert.deepEqual(await execution.mutate("manager", `updatePlan(id: 3, input: { ${input} }) { active }`), {
      it: { active: false },
    });
    for (const [active, then] of [
      [true, true],
      [null, true],
      [false, false],
    ]) {
      const update = `updatePlan(id: 3, input: { ${input}, active: ${active} }) { active }`;
      assert.deepEqual(await execution.mutate("manager", update), { it: { active: then } }, update);
    }
    assert.equal(
      (await execution.refuseMutation("manager", `updatePlan(id: 99, input: { ${input} }) { id }`)).kind,
      "notFound",
    );
  });

  it("names every bad field of a plan, a taken name too", async () => {
    const bad = await execution.refuseMutation(
      "manager",
      'createPlan(input: { name: " ", cores: 0, memoryMb: 15, diskGb: -1, trafficGb: 0, runtimeDays: 0 }) { id }',
    );
    assert.deepEqual(
      bad.fields.map(({ field }) => field),
      ["name", "cores", "memoryMb", "diskGb", "trafficGb", "runtimeDays"],
    );
    const lines = await execution.refuseMutation(
      "manager",
      String.raw`createPlan(input: { name: "small\nprint", cores: 1, memoryMb: 16, diskGb: 1 }) { id }`,
    );
    assert.deepEqual(lines.fields, [{ field: "name", message: "must not contain control characters" }]);
    const taken = await execution.refuseMutation(
      "manager",
      'createPlan(input: { name: "small", cores: 1, memoryMb: 16, diskGb: 1 }) { id }',
    );
    assert.deepEqual(taken.fields, [{ field: "name", message: "is already in use" }]);
  });

  it("makes IP zones that never give out what is reserved", async () => {
    const zone =
      'hostId: 1, name: "inner", cidr: "10.9.0.5/28", bridge: "vmbr1", vlan: 20, gateway: "10.9.0.1", nameservers: ["9.9.9.9"]';
    assert.deepEqual(
      await execution.mutate(
        "manager",
        `createIpZone(input: { ${zone}, excluded: ["10.9.0.4-10.9.0.5", "10.9.0.5", "10.9.0.8/30"] }) { ref cidr gateway vlan nameservers total used free }`,
      ),
      {
        it: {
          ref: "zone:3",
          cidr: "10.9.0.0/28",
          gateway: "10.9.0.1",
          vlan: 20,
          nameservers: ["9.9.9.9"],
          total: 7,
          used: 0,
          free: 7,
        },
      },
    );
    assert.deepEqual(
      await execution.rows(
        "select host(range_start) as start, host(range_end) as end, host(next_candidate) as next from ip_zone where id = 3",
      ),
      [{ start: "10.9.0.2", end: "10.9.0.14", next: "10.9.0.2" }],
    );
    assert.deepEqual(
      await execution.rows(
        "select host(first_address) as first, host(last_address) as last from ip_zone_exclusion where zone_id = 3 order by 1",
      ),
      [
        { first: "10.9.0.4", last: "10.9.0.5" },
        { first: "10.9.0.8", last: "10.9.0.11" },
      ],
    );
  });

  it("refuses IP zones that are malformed, overlap on one network, or are of no host", async () => {
    const bad = await execution.refuseMutation(
      "manager",
      'createIpZone(input: { hostId: 1, name: "", cidr: "10.0.0.0/24", bridge: "vm br", vlan: 4095, gateway: "::1" }) { id }',
    );
    assert.deepEqual(
      bad.fields.map(({ field }) => field),
      ["name", "bridge", "gateway", "vlan"],
    );
    const overlap = await execution.refuseMutation(
      "manager",
      'createIpZone(input: { hostId: 1, name: "o", cidr: "198.51.100.16/28", bridge: "vmbr0" }) { id }',
    );
    assert.deepEqual(overlap.fields, [{ field: "cidr", message: "overlaps zone public on the same bridge and VLAN" }]);
    await execution.mutate(
      "manager",
      'createIpZone(input: { hostId: 1, name: "o", cidr: "198.51.100.16/28", bridge: "vmbr1" }) { id }',
    );
    const taken = await execution.refuseMutation(
      "manager",
      'createIpZone(input: { hostId: 1, name: "o", cidr: "10.0.0.0/24", bridge: "vmbr1" }) { id }',
    );
    assert.deepEqual(taken.fields, [{ field: "name", message: "is already in use on this host" }]);
    assert.equal(
      (
        await execution.refuseMutation(
          "manager",
          'createIpZone(input: { hostId: 99, name: "", cidr: "x", bridge: "" }) { id }',
        )
      ).kind,
      "notFound",
    );
  });

  it("lets one of two overlapping zones in when both come at once", async () => {
    const make = (name: string) => () =>
      execution.mutate(
        "manager",
        `createIpZone(input: { hostId: 1, name: "${name}", cidr: "10.7.0.0/24", bridge: "vmbr0" }) { id }`,
      );
    const outcomes = await meet(
      execution.services.pool,
      (client) => client.query("select from host where id = 1 for no key update"),
      ["a", "b", "c", "d"].map(make),
    );
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
  });

  it("deletes IP zones of which no address is in use", async () => {
    assert.deepEqual(await execution.mutate("manager", "deleteIpZone(id: 2)"), { it: true });
    assert.equal((await execution.refuseMutation("manager", "deleteIpZone(id: 2)")).kind, "notFound");
    assert.equal((await execution.refuseMutation("manager", "deleteIpZone(id: 1)")).reason, "IP_ZONE_IN_USE");
  });

  it("registers templates", async () => {
    await execution.services.pool.query(
      `update guest set template = true, system_disk_bytes = disk_bytes - 1073741824 where host_id = 1 and vmid = 150`,
    );
    assert.deepEqual(
      await execution.mutate(
        "manager",
        'registerOsTemplate(hostId: 1, node: "a1", vmid: 150, name: "Alma 9") { ref node vmid name minDiskGb furtherDiskGb active }',
      ),
      {
        it: { ref: "tpl:3", node: "a1", vmid: 150, name: "Alma 9", minDiskGb: 4, furtherDiskGb: 1, active: true },
      },
    );
    assert.equal(
      (
        await execution.refuseMutation(
          "manager",
          'registerOsTemplate(hostId: 1, node: "a1", vmid: 150, name: "again") { id }',
        )
      ).reason,
      "TEMPLATE_EXISTS",
    );
    const noTemplate = await execution.refuseMutation(
      "manager",
      'registerOsTemplate(hostId: 1, node: "a1", vmid: 151, name: "x") { id }',
    );
    assert.deepEqual(noTemplate.fields, [{ field: "vmid", message: "is no QEMU template on node a1" }]);
    assert.equal(
      (
        await execution.refuseMutation(
          "manager",
          'registerOsTemplate(hostId: 99, node: "a1", vmid: 151, name: "x") { id }',
        )
      ).kind,
      "notFound",
    );
    assert.deepEqual(
      await execution.mutate(
        "manager",
        'registerCtTemplate(name: "Alpine", volid: "local:vztmpl/alpine.tar.gz") { id name managed node sizeBytes }',
      ),
      {
        it: { id: 2, name: "Alpine", managed: true, node: null, sizeBytes: 99 },
      },
    );
    assert.equal(
      (
        await execution.refuseMutation(
          "manager",
          'registerCtTemplate(name: "Alpine", volid: "local:vztmpl/alpine.tar.gz") { id }',
        )
      ).reason,
      "TEMPLATE_EXISTS",
    );
    assert.deepEqual(
      (
        await execution.refuseMutation("manager", 'registerCtTemplate(name: "", volid: "local:iso/x.iso") { id }')
      ).fields.map(({ field }) => field),
      ["name", "volid"],
    );
  });
});
