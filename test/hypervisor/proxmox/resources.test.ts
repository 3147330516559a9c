// The one large answer: every node, guest and storage, with whatever may be missing or odd in it.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { DroverError } from "../../../src/errors/errors.js";
import { PlatformReason } from "../../../src/hypervisor/platformError.js";
import { parseResources } from "../../../src/hypervisor/proxmox/resources.js";
import { refusal } from "../support/rejection.js";

describe("hypervisor/proxmox/resources", () => {
  it("reads nodes, guests and storages, and passes over what else there is", () => {
    const resources = parseResources([
      {
        id: "qemu/100",
        type: "qemu",
        vmid: 100,
        node: "pve1",
        name: "web1",
        status: "running",
        template: 0,
        cpu: 0.01,
        maxcpu: 2,
        mem: 5e8,
        maxmem: 2147483648,
        disk: 0,
        maxdisk: 34359738368,
        uptime: 99,
        lock: "migrate",
        tags: "a;b",
        hastate: "started",
      },
      {
        id: "node/pve1",
        type: "node",
        node: "pve1",
        status: "online",
        cpu: 0.5,
        maxcpu: 16,
        mem: 8e9,
        maxmem: 6.7e10,
        uptime: 8123,
      },
      {
        id: "storage/pve1/local",
        type: "storage",
        storage: "local",
        node: "pve1",
        plugintype: "dir",
        content: "iso,vztmpl",
        shared: 0,
        status: "available",
        disk: 10,
        maxdisk: 100,
      },
      { id: "network/pve1/zone/localnetwork", type: "network", node: "pve1", status: "ok" },
      { id: "/pool/p", type: "pool", pool: "p" },
    ]);
    assert.deepEqual(resources, {
      guests: [
        {
          type: "qemu",
          vmid: 100,
          node: "pve1",
          name: "web1",
          status: "running",
          template: false,
          lock: "migrate",
          lockCause: "move",
          tags: ["a", "b"],
          cores: 2,
          memoryBytes: 2147483648,
          diskBytes: 34359738368,
          cpuUsage: 0.01,
          memoryUsedBytes: 5e8,
          uptimeSeconds: 99,
          highlyAvailable: true,
        },
      ],
      nodes: [
        {
          name: "pve1",
          status: "online",
          uptimeSeconds: 8123,
          cpuCores: 16,
          memoryBytes: 6.7e10,
          load: { cpuUsage: 0.5, memoryUsedBytes: 8e9 },
        },
      ],
      impossible: [],
      storages: [
        {
          node: "pve1",
          name: "local",
          type: "dir",
          content: ["iso", "vztmpl"],
          shared: false,
          active: true,
          room: { totalBytes: 100, usedBytes: 10 },
        },
      ],
    });
  });

  it("reads a guest that is seconds old, and one whose numbers are text", () => {
    const { guests } = parseResources([
      { id: "lxc/200", node: "pve1", status: "unknown", type: "lxc", vmid: 200 },
      {
        id: "lxc/201",
        node: "pve1",
        status: "stopped",
        type: "lxc",
        vmid: "201",
        name: 7,
        template: "1",
        maxmem: "1024",
        lock: "suspended",
        hastate: "ignored",
        tags: "",
      },
    ]);
    const [fresh, loose] = guests;
    assert.deepEqual(
      [
        fresh?.name,
        fresh?.status,
        fresh?.cores,
        fresh?.memoryBytes,
        fresh?.diskBytes,
        fresh?.cpuUsage,
        fresh?.uptimeSeconds,
      ],
      [null, "unknown", null, null, null, null, null],
    );
    assert.deepEqual(
      [
        loose?.vmid,
        loose?.name,
        loose?.template,
        loose?.memoryBytes,
        loose?.status,
        loose?.highlyAvailable,
        loose?.tags,
      ],
      [201, "7", true, 1024, "suspended", false, []],
    );
  });

  it("reads nodes that are away or that the credential may not see, and a storage that is not available", () => {
    const { nodes, storages } = parseResources([
      { type: "node", node: "pve2", status: "offline" },
      { type: "node", node: "pve3", status: "unknown" },
      { type: "node", node: "pve4" },
      { type: "storage", storage: "nfs", node: "pve2", status: "unknown" },
    ]);
    assert.deepEqual(
      nodes.map(({ status, uptimeSeconds, memoryBytes, load }) => [status, uptimeSeconds, memoryBytes, load]),
      [
        ["offline", null, 0, null],
        ["unknown", null, 0, null],
        ["unknown", null, 0, null],
      ],
    );
    assert.deepEqual(
      storages.map(({ active, room, content }) => [active, room, content]),
      [[false, null, []]],
    );
  });

  it("has no room of a storage that reports only a part of it, and no load of a node that does", () => {
    const { nodes, storages } = parseResources([
      { type: "node", node: "pve1", status: "online", maxcpu: 8, maxmem: 1e9, cpu: 0.5 },
      { type: "node", node: "pve2", status: "online", maxcpu: 8, maxmem: 1e9, mem: 5e8 },
      { type: "storage", storage: "nfs", node: "pve1", status: "available", maxdisk: 1e9 },
      { type: "storage", storage: "nfs", node: "pve2", status: "available", disk: 0 },
    ]);
    assert.deepEqual(
      nodes.map(({ cpuCores, load }) => [cpuCores, load]),
      [
        [8, null],
        [8, null],
      ],
    );
    assert.deepEqual(
      storages.map(({ active, room }) => [active, room]),
      [
        [true, null],
        [true, null],
      ],
    );
  });

  it("reads fractions as whole figures, contents in one order, and what is reported twice once", () => {
    const storage = { type: "storage", storage: "nfs", node: "pve1", content: "rootdir,iso, images" };
    const { nodes, guests, storages } = parseResources([
      { type: "node", node: "pve1", maxcpu: "8.0" },
      { type: "node", node: "pve1", maxcpu: 8 },
      { type: "lxc", vmid: 100, node: "pve1", maxcpu: 0.5, maxdisk: 1073741824.25 },
      { ...storage, maxdisk: 1e16, disk: "12.5" },
      { ...storage, maxdisk: 1e16 },
    ]);
    assert.deepEqual(
      nodes.map(({ cpuCores }) => cpuCores),
      [8],
    );
    assert.deepEqual([guests[0]?.cores, guests[0]?.diskBytes], [1, 1073741824]);
    assert.deepEqual(
      storages.map(({ content, active, room }) => [content, active, room?.totalBytes, room?.usedBytes]),
      [[["images", "iso", "rootdir"], true, 1e16, 13]],
    );
  });

  it("reads an empty host", () => {
    assert.deepEqual(parseResources([]), { nodes: [], guests: [], storages: [], impossible: [] });
  });

  const senseless: [string, unknown][] = [
    ["no list", { data: 1 }],
    ["a row that is no object", [null]],
    ["a guest without vmid", [{ type: "qemu", node: "pve1", id: "qemu/?" }]],
    ["a guest with the vmid 42", [{ type: "qemu", vmid: 42, node: "pve1" }]],
    ["a guest with the vmid 100.5", [{ type: "qemu", vmid: 100.5, node: "pve1" }]],
    ["a row without node", [{ type: "lxc", vmid: 100 }]],
    ["a row without storage", [{ type: "storage", node: "pve1" }]],
  ];
  for (const [problem, data] of senseless) {
    it(`refuses ${problem}`, async () => {
      await refusal(
        Promise.resolve().then(() => parseResources(data)),
        PlatformReason.UNINTELLIGIBLE,
        problem,
      );
    });
  }

  it("reads or refuses whatever JSON there is, and never breaks", () => {
    const type = fc.constantFrom("qemu", "lxc", "node", "storage", "pool");
    const key = fc.constantFrom(
      "vmid",
      "node",
      "storage",
      "status",
      "name",
      "tags",
      "content",
      "lock",
      "template",
      "mem",
    );
    const row = fc.tuple(type, fc.dictionary(key, fc.jsonValue())).map(([kind, rest]) => ({ ...rest, type: kind }));
    fc.assert(
      fc.property(fc.oneof(fc.array(row), fc.jsonValue()), (data) => {
        try {
          const { guests, nodes } = parseResources(data);
          assert.ok(guests.every(({ vmid, tags }) => Number.isFinite(vmid) && Array.isArray(tags)));
          assert.ok(nodes.every(({ name }) => name !== ""));
        } catch (error) {
          assert.ok(error instanceof DroverError, String(error));
        }
      }),
    );
  });

  it("reads 100,000 guests without going through them again and again", () => {
    let looks = 0;
    const rows = Array.from({ length: 100_000 }, (_, index) => ({
      get type() {
        looks++;
        return "qemu";
      },
      vmid: index + 100,
      node: "pve1",
      name: "x",
      status: "running",
      tags: "a;b",
      maxmem: 1,
    }));
    const { guests } = parseResources(rows);
    assert.equal(guests.length, 100_000);
    assert.ok(looks <= 5 * guests.length, `the type of a row was read ${looks / guests.length} times`);
  });
});
