// Checks where guests go when a host is emptied, and that no target is over-filled by the run as a whole.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { isOffered, planEvacuation, type EvacuationTarget } from "../../../src/core/evacuation/plan.js";
import { NO_TRAITS } from "../../../src/core/migration/guestTraits.js";
import type { MovableGuest } from "../../../src/core/migration/movableGuest.js";
import { DEFAULT_PLACEMENT_SETTINGS } from "../../../src/core/placement/context.js";
import type { NodeState } from "../../../src/core/placement/snapshot.js";
import { GIB } from "../../../src/core/units.js";
import { host, node, snapshot, storage } from "../placement/example.js";

const beta = host({ id: 2, name: "beta" });
const gamma = host({ id: 3, name: "gamma" });

const guest = (change: Partial<MovableGuest> = {}): MovableGuest => ({
  hostId: 1,
  node: "pve1",
  vmid: 100,
  type: "qemu",
  running: true,
  cores: 2,
  memoryMb: 8_192,
  diskGb: 20,
  storage: null,
  memoryUsedMb: 4_096,
  coresUsed: 1,
  obstacle: null,
  ...change,
});

const anywhere: EvacuationTarget = { hostId: null, node: null };
const plan = (nodes: NodeState[], guests: MovableGuest[], target = anywhere) =>
  planEvacuation(snapshot(...nodes), guests, { sourceHostId: 1, target, settings: DEFAULT_PLACEMENT_SETTINGS });
const destinations = (...given: Parameters<typeof plan>) =>
  plan(...given).map((one) => ("reason" in one ? one.reason : `${one.hostId}/${one.node}`));
const storages = (nodes: NodeState[], one: MovableGuest) =>
  plan(nodes, [one]).map((found) => ("reason" in found ? found.reason : `${found.node}/${found.storage}`));

describe("core/evacuation/plan", () => {
  it("sends guests to other hosts only, each where it has the best place", () => {
    const busy = node({ host: beta, name: "b1", cpuAverage: 0.9 });
    const idle = node({ host: gamma, name: "c1", cpuAverage: 0 });
    assert.deepEqual(destinations([node(), busy, idle], [guest()]), ["3/c1"]);
  });

  describe("when nodes run different versions", () => {
    const older = node({ host: beta, name: "b1", cpuAverage: 0, tunnels: { qemu: 2, lxc: 2 } });
    const newer = node({ host: gamma, name: "c1", cpuAverage: 0.9, tunnels: { qemu: 3, lxc: 3 } });

    it("sends no guest to a node that takes none from its version, and reports it", () => {
      assert.deepEqual(destinations([older, newer], [guest({ tunnel: 3 })]), ["3/c1"]);
      const [stays] = destinations([older], [guest({ tunnel: 3 })]);
      assert.match(stays ?? "", /b1: its version is too old/);
      const [named] = destinations([older], [guest({ tunnel: 3 })], { hostId: 2, node: "b1" });
      assert.match(named ?? "", /its version is too old/);
    });

    it("prefers a worse node that the guest could come back from, as long as that has room", () => {
      const nodes = [
        { ...older, cpuAverage: 0.9, memoryMb: 16_384, memoryUsedMb: 0 },
        { ...newer, cpuAverage: 0 },
      ];
      const guests = [1, 2, 3].map((vmid) => guest({ vmid, tunnel: 2 }));
      assert.deepEqual(destinations(nodes, guests).toSorted(), ["2/b1", "2/b1", "3/c1"]);
      assert.deepEqual(destinations(nodes, [guest({ tunnel: null })]), ["3/c1"], "its version is not known");
    });

    it("sends guests to processors of their own architecture only", () => {
      const arm = { ...newer, architecture: "arm64" };
      assert.deepEqual(destinations([arm, older], [guest({ architecture: "arm64", tunnel: 2 })]), ["2/b1"]);
      assert.deepEqual(destinations([arm, { ...older, architecture: "amd64" }], [guest({ architecture: "arm64" })]), [
        "3/c1",
      ]);
      const [stays] = destinations([arm], [guest({ architecture: "amd64", running: false })]);
      assert.match(stays ?? "", /made for amd64, the node's processors are arm64/);
    });
  });

  it("goes to the host or node that the operator chose", () => {
    const nodes = [node({ host: beta, name: "b1", cpuAverage: 1 }), node({ host: gamma, name: "c1" })];
    assert.deepEqual(destinations(nodes, [guest()], { hostId: 2, node: null }), ["2/b1"]);
    assert.deepEqual(destinations(nodes, [guest()], { hostId: 2, node: "b2" }), [
      "no node has room: no node may be used",
    ]);
  });

  it("reports why a guest stays by the room that is left at its turn, also where an equal one stayed before", () => {
    const nodes = [node({ host: beta, name: "b1", memoryMb: 16_384, memoryUsedMb: 0 })];
    const wide = { cores: 1_000, memoryMb: 12_288 };
    const guests = [guest({ vmid: 1, ...wide }), guest({ vmid: 2, memoryMb: 12_288 }), guest({ vmid: 3, ...wide })];
    const [last, , first] = destinations(nodes, guests);
    assert.match(first ?? "", /needs 1000 cores/);
    assert.match(last ?? "", /of RAM, has 4096 MiB free/);
  });

  it("spreads what one target cannot take, large guests first, and reports what stays and why", () => {
    const small = { memoryMb: 16_384, memoryUsedMb: 0 };
    const nodes = [node({ host: beta, name: "b1", ...small }), node({ host: gamma, name: "c1", ...small })];
    const guests = [
      guest({ vmid: 1, memoryMb: 8_192 }),
      guest({ vmid: 2, memoryMb: 16_384 }),
      guest({ vmid: 3 }),
      guest({ vmid: 4 }),
    ];
    assert.deepEqual(destinations(nodes, guests), [
      "no node has room: b1 of host 2: needs 8192 MiB of RAM, has 0 MiB free besides 16384 MiB reserved already; " +
        "c1 of host 3: needs 8192 MiB of RAM, has 0 MiB free besides 16384 MiB reserved already",
      "2/b1",
      "3/c1",
      "3/c1",
    ]);
  });

  it("counts disks of guests that were planned before", () => {
    const tight = node({ host: beta, name: "b1", storages: [storage({ freeBytes: 39 * GIB })] });
    const [first, second] = destinations([tight], [guest({ vmid: 2 }), guest({ vmid: 1 })]);
    assert.equal(first, "2/b1");
    assert.match(second ?? "", /needs 20 GiB of disk, its roomiest storage local-lvm has 19 GiB free/);
  });

  it("counts a disk on every node of a cluster that shares the storage", () => {
    const ceph = storage({ name: "ceph", shared: true, freeBytes: 30 * GIB });
    const cluster = ["b1", "b2"].map((name) => node({ host: beta, name, storages: [ceph] }));
    const [first, second] = destinations(cluster, [guest({ vmid: 2 }), guest({ vmid: 1 })]);
    assert.equal(first, "2/b1");
    assert.match(
      second ?? "",
      /b2: needs 20 GiB of disk, its roomiest storage ceph has 10 GiB free besides 20 GiB reserved/,
    );
  });

  it("plans again with those who found no place: others may have had the choice", () => {
    const small = { memoryMb: 16_384, memoryUsedMb: 8_192 };
    const nodes = [
      node({ host: beta, name: "wide", ...small }),
      node({ host: gamma, name: "slim", ...small, storages: [storage({ freeBytes: 30 * GIB })] }),
    ];
    const choosy = guest({ vmid: 1, memoryMb: 4_096, diskGb: 400 });
    assert.deepEqual(destinations(nodes, [guest({ vmid: 2 }), choosy]), ["3/slim", "2/wide"]);
    const [, tooWide] = destinations(nodes, [guest({ vmid: 2 }), { ...choosy, diskGb: 700 }]);
    assert.match(
      tooWide ?? "",
      /^no node has room: wide of host 2: needs 4096 MiB of RAM/,
      "no plan is better: the first one",
    );
  });

  it("plans again also where a guest that chose first fits nowhere at all", () => {
    const small = { memoryMb: 16_384, memoryUsedMb: 8_192 };
    const nodes = [
      node({ host: beta, name: "wide", ...small }),
      node({ host: gamma, name: "slim", ...small, storages: [storage({ freeBytes: 30 * GIB })] }),
    ];
    const giant = guest({ vmid: 1, memoryMb: 1_000_000 });
    const choosy = guest({ vmid: 3, memoryMb: 4_096, diskGb: 400 });
    const [stays, ...others] = destinations(nodes, [giant, guest({ vmid: 2 }), choosy]);
    assert.match(stays ?? "", /^no node has room: .*needs 1000000 MiB of RAM/);
    assert.deepEqual(others, ["3/slim", "2/wide"]);
  });

  it("sends a guest to no node that its pre-flight failed for, and others of its size there all the same", () => {
    const idle = node({ host: beta, name: "b1", cpuAverage: 0 });
    const busy = node({ host: gamma, name: "c1", cpuAverage: 0.9 });
    const refusedBy = { nodes: [{ hostId: 2, node: "b1" }], reason: "its bridge is missing" };
    const picky = guest({ vmid: 1, refusedBy });
    assert.deepEqual(destinations([idle, busy], [guest({ vmid: 2 }), picky]), ["2/b1", "3/c1"]);
    const [stays, goes] = destinations([idle], [picky, guest({ vmid: 2 })]);
    assert.deepEqual([stays, goes], ["no node has room: no node may be used", "2/b1"]);
    const [, roomless] = destinations(
      [idle, { ...busy, memoryUsedMb: busy.memoryMb ?? 0 }],
      [guest({ vmid: 2 }), picky],
    );
    assert.match(roomless ?? "", /^no node has room: c1/, "only of the nodes that it may go to");
  });

  describe("the storage", () => {
    const roomy = storage({ name: "tank", freeBytes: 500 * GIB });
    const full = node({ host: beta, name: "b1", storages: [storage({ freeBytes: 10 * GIB }), roomy] });
    const other = node({
      host: gamma,
      name: "c1",
      memoryUsedMb: 32_768,
      storages: [storage({ freeBytes: 100 * GIB })],
    });

    it("is the one of the same name, as the move will have it", () => {
      assert.deepEqual(storages([full, other], guest({ storage: "local-lvm" })), ["c1/local-lvm"]);
      const [stays] = storages([full], guest({ storage: "local-lvm" }));
      assert.match(stays ?? "", /needs 20 GiB of disk, its storage local-lvm has 10 GiB free/);
    });

    it("is the roomiest where none has the name, or the guest has several", () => {
      assert.deepEqual(storages([full, other], guest({ storage: "ssd" })), ["b1/tank"]);
      assert.deepEqual(storages([full, other], guest({ storage: null })), ["b1/tank"]);
    });

    it("must be one for disks of the guest", () => {
      const backups = storage({ name: "nas", content: ["backup"] });
      const away = storage({ name: "ssd", active: false });
      const node1 = node({ host: beta, name: "b1", storages: [backups, away, roomy] });
      for (const name of ["nas", "ssd"]) assert.deepEqual(storages([node1], guest({ storage: name })), ["b1/tank"]);
    });
  });

  it("sends stopped guests only where they could be started", () => {
    const little = node({ host: beta, name: "b1", memoryMb: 16_384, memoryUsedMb: 0 });
    const stopped = guest({ running: false, memoryMb: 32_768 });
    assert.deepEqual(destinations([little, node({ host: gamma, name: "c1" })], [stopped]), ["3/c1"]);
    assert.deepEqual(destinations([little], [stopped]), [
      "no node has room: b1: needs 32768 MiB of RAM to start, has 16384 MiB in all",
    ]);
  });

  it("needs no RAM for stopped guests", () => {
    const full = node({ host: beta, name: "b1", memoryUsedMb: 65_536 });
    assert.deepEqual(destinations([full], [guest({ running: false })]), ["2/b1"]);
  });

  it("keeps guests that fail the pre-flight, with the reason", () => {
    assert.deepEqual(destinations([node({ host: beta })], [guest({ obstacle: "the guest has snapshots: pre" })]), [
      "the guest has snapshots: pre",
    ]);
  });

  it("never offers templates, safety copies and busy guests", () => {
    assert.equal(isOffered(NO_TRAITS), true);
    assert.equal(isOffered({ ...NO_TRAITS, template: true }), false);
    assert.equal(isOffered({ ...NO_TRAITS, safetyCopy: true }), false);
    assert.equal(isOffered({ ...NO_TRAITS, busyWith: "job 7" }), false);
  });

  it("never over-fills a target, whatever the guests, and answers for each of them in their order", () => {
    const sizes = fc.array(
      fc.record({ memoryMb: fc.integer({ min: 16, max: 30_000 }), diskGb: fc.integer({ min: 1, max: 400 }) }),
    );
    fc.assert(
      fc.property(sizes, (some) => {
        const guests = some.map((size, vmid) => guest({ vmid, ...size }));
        const planned = plan([node({ host: beta, name: "b1" }), node({ host: gamma, name: "c1" })], guests);
        assert.deepEqual(
          planned.map((one) => one.guest),
          guests,
        );
        for (const hostId of [2, 3]) {
          const arrived = planned.flatMap((one) => ("hostId" in one && one.hostId === hostId ? [one.guest] : []));
          assert.ok(arrived.reduce((sum, { memoryMb }) => sum + memoryMb, 0) <= 49_152);
          assert.ok(arrived.reduce((sum, { diskGb }) => sum + diskGb, 0) <= 600);
        }
      }),
    );
  });
});
