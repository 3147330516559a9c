// Checks what placement ranks, drops, chooses and explains.
import assert from "node:assert/strict";
import { describeDropped, place, placeBest } from "../../../src/core/placement/place.js";
import { GIB } from "../../../src/core/units.js";
import { context, host, node, request, snapshot, storage } from "./example.js";

const beta = host({ id: 2, name: "beta" });
const ranking = (...nodes: ReturnType<typeof node>[]) =>
  place(snapshot(...nodes), request(), context()).ranked.map((row) => `${row.hostId}/${row.node}`);

/** The storage that is chosen, in whatever order the node has them. */
function chosen(...storages: ReturnType<typeof storage>[]): string | undefined {
  const choose = (some: typeof storages) =>
    place(snapshot(node({ storages: some })), request(), context()).best?.storage;
  assert.equal(choose(storages), choose(storages.toReversed()));
  return choose(storages);
}

describe("core/placement/place", () => {
  it("scores each part as a share of the node's own capacity, and adds them by weight", () => {
    const { best } = place(snapshot(node()), request(), context());
    const ram = (65_536 - 16_384 - 4_096) / 65_536;
    assert.deepEqual(best, {
      hostId: 1,
      node: "pve1",
      storage: "local-lvm",
      score: 0.68475,
      ramScore: 0.6875,
      cpuScore: 0.75,
      storageScore: 0.58,
      guestCount: 10,
      explanation:
        "score 0.685 = 0.500 × RAM 0.688 (45056 MiB of 65536 MiB free after) + 0.300 × CPU 0.750 (25 % busy over 30 minutes)" +
        " + 0.200 × storage 0.580 (local-lvm: 580 GiB of 1000 GiB free after)",
    });
    assert.equal(ram, best?.ramScore);
  });

  it("explains a node without CPU samples as counted busy", () => {
    const { best } = place(snapshot(node({ cpuAverage: null })), request(), context());
    assert.equal(best?.cpuScore, 0);
    assert.match(best?.explanation ?? "", /× CPU 0\.000 \(no sample in the last 30 minutes, counted as busy\)/);
  });

  for (const [cpuAverage, cpuScore] of [
    [0, 1],
    [1, 0],
    [1.2, 0],
    [-0.1, 1],
  ] as const) {
    it(`CPU use ${cpuAverage} scores ${cpuScore}`, () => {
      assert.equal(place(snapshot(node({ cpuAverage })), request(), context()).best?.cpuScore, cpuScore);
    });
  }

  it("counts what was reserved for queued jobs as taken", () => {
    const reserved = node({ memoryReservedMb: 8_192, storages: [storage({ reservedBytes: 100 * GIB })] });
    const { best } = place(snapshot(reserved), request(), context());
    assert.equal(best?.ramScore, (65_536 - 16_384 - 8_192 - 4_096) / 65_536);
    assert.equal(best?.storageScore, 0.48);
  });

  describe("storage", () => {
    it("is the one with most free space", () => {
      assert.equal(chosen(storage({ name: "a" }), storage({ name: "b", freeBytes: 601 * GIB })), "b");
    });
    it("is the first by name among equals", () => {
      assert.equal(chosen(storage({ name: "b" }), storage({ name: "a" })), "a");
    });
    it("is judged by what is left after reservations", () => {
      const roomier = storage({ name: "b", freeBytes: 700 * GIB, reservedBytes: 200 * GIB });
      assert.equal(chosen(storage({ name: "a" }), roomier), "a");
    });
    it("holds the right content, however large the others are", () => {
      const backups = storage({ name: "b", content: ["backup"], freeBytes: 900 * GIB });
      assert.equal(chosen(storage({ name: "a" }), backups), "a");
    });
  });

  describe("ties", () => {
    it("go to fewer guests", () => {
      assert.deepEqual(ranking(node({ name: "a" }), node({ name: "b", guestCount: 9 })), ["1/b", "1/a"]);
    });
    it("then to the lower host id", () => {
      assert.deepEqual(ranking(node({ host: beta, name: "a" }), node({ name: "b" })), ["1/b", "2/a"]);
    });
    it("then to the first name", () => {
      assert.deepEqual(ranking(node({ name: "b" }), node({ name: "a" })), ["1/a", "1/b"]);
    });
    it("are what differs by less than a millionth", () => {
      const slightly = node({ name: "b", cpuAverage: 0.250_000_5, guestCount: 9 });
      assert.deepEqual(ranking(node({ name: "a" }), slightly), ["1/b", "1/a"]);
      const more = node({ name: "b", cpuAverage: 0.250_01, guestCount: 9 });
      assert.deepEqual(ranking(node({ name: "a" }), more), ["1/a", "1/b"]);
    });
  });

  describe("visibility", () => {
    const all = snapshot(
      node(),
      node({ name: "pve2", online: false }),
      node({ host: beta }),
      node({ host: beta, online: false, name: "pve2" }),
    );
    const seen = (change: Parameters<typeof context>[0]) => {
      const { ranked, dropped } = place(all, request(), context(change));
      return [...ranked, ...dropped].map((row) => `${row.hostId}/${row.node}`);
    };
    it("ends at the scope", () => assert.deepEqual(seen({ scope: [2] }), ["2/pve1", "2/pve2"]));
    it("ends at the host", () => assert.deepEqual(seen({ hostId: 1 }), ["1/pve1", "1/pve2"]));
    it("ends at the named node", () => assert.deepEqual(seen({ hostId: 1, node: "pve2" }), ["1/pve2"]));
    it("leaves the host that the guest is to leave", () => {
      assert.deepEqual(seen({ exceptHostId: 1 }), ["2/pve1", "2/pve2"]);
    });
    it("is nothing without a scope in common", () => assert.deepEqual(seen({ scope: [2], hostId: 1 }), []));
  });

  it("has no best when nothing fits, and reports why, node by node", () => {
    const none = snapshot(node({ name: "b", online: false }), node({ name: "a", cores: 1 }));
    const { best, ranked, dropped } = place(none, request(), context());
    assert.deepEqual({ best, ranked }, { best: null, ranked: [] });
    assert.equal(placeBest(none, request(), context()), null);
    assert.equal(describeDropped(dropped), "no node has room: a: needs 2 cores, has 1; b: the node is offline");
  });

  it("reports it when there is no node at all", () => {
    assert.equal(
      describeDropped(place(snapshot(), request(), context()).dropped),
      "no node has room: no node may be used",
    );
  });

  it("distinguishes nodes of several hosts", () => {
    const { dropped } = place(snapshot(node({ online: false }), node({ host: beta, cores: 1 })), request(), context());
    assert.equal(
      describeDropped(dropped),
      "no node has room: pve1 of host 1: the node is offline; pve1 of host 2: needs 2 cores, has 1",
    );
  });

  it("names fifty dropped nodes and counts the others by rule, so that an answer stays readable", () => {
    const many = Array.from({ length: 53 }, (_, index) =>
      node({ name: `n${String(index).padStart(2, "0")}`, online: index % 2 === 0, cores: 1 }),
    );
    const sentence = describeDropped(place(snapshot(...many), request(), context()).dropped);
    assert.match(sentence, /; n49: the node is offline; 2 more: NOT_ENOUGH_CORES; 1 more: NODE_OFFLINE$/);
  });
});
