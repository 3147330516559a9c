// The balance report on rows of the inventory: hot nodes, suggestions, what is passed over, scope.
import assert from "node:assert/strict";
import type { Viewer } from "../../../src/access/viewer.js";
import type { MovePlan, PlanMoves } from "../../../src/run/balancePreflight.js";
import type { MoveRequest } from "../../../src/migration/moveRequest.js";
import { reportWith } from "../../../src/actions/run/balanceReport.js";
import { planAddress } from "../../../src/core/addressing/ipPlan.js";
import { readSuggestionId } from "../../../src/core/balance/suggestionId.js";
import { BalanceMode, Severity } from "../../../src/core/enums.js";
import { DroverError } from "../../../src/errors/errors.js";
import { contextOf, managingToken, tokenViewer } from "../../support/context.js";
import { refusedAs } from "../../support/refusal.js";
import { createTestServices, type TestServices } from "../../support/services.js";
import { insertGuests, insertNodes } from "../../placement/fleet.js";

/** A pre-flight that finds nothing. */
const PASSING: MovePlan = {
  startable: true,
  problems: [],
  summary: {
    bytesToCopy: 0,
    unsizedDisks: [],
    expectedSeconds: null,
    bytesPerSecond: null,
    transferSeconds: null,
    downtime: "none",
    checkCount: 1,
  },
  ipPlan: planAddress(null, []).plan,
};
const each =
  (plan: (request: MoveRequest) => MovePlan | DroverError): PlanMoves =>
  (requests) =>
    Promise.resolve(requests.map(plan));
const passing = each(() => PASSING);
const SNAPSHOTS = { code: "HAS_SNAPSHOTS", severity: Severity.BLOCKING, message: "the guest has snapshots" };
const NO_BRIDGE = {
  code: "BRIDGE_UNMAPPED",
  severity: Severity.BLOCKING,
  message: "nothing of the target is chosen for vmbr7",
};

describe("actions/balanceReport", () => {
  let services: TestServices;
  let small: number;
  let large: number;

  before(async () => {
    services = await createTestServices();
    await insertNodes(services.pool, [
      { host: 1, name: "hot", memoryUsedMb: 15_000 },
      { host: 2, name: "cool", memoryUsedMb: 1_000 },
      { host: 3, name: "mild", memoryUsedMb: 8_000 },
    ]);
    [small = 0, large = 0] = await insertGuests(services.pool, [
      { host: 1, node: "hot", vmid: 101, memoryMb: 1_024 },
      { host: 1, node: "hot", vmid: 102, memoryMb: 4_096 },
      { host: 1, node: "hot", vmid: 103, memoryMb: 512, lock: "backup" },
      { host: 1, node: "hot", vmid: 104, memoryMb: 256, status: "stopped" },
      { host: 1, node: "hot", vmid: 105, memoryMb: 128, safetyCopy: true },
      { host: 2, node: "cool", vmid: 106, memoryMb: 512 },
    ]);
  });
  after(() => services.close());

  const report = (mode: BalanceMode = BalanceMode.SMALLEST_FIRST, plan: PlanMoves = passing) =>
    reportWith(contextOf(services, managingToken()), mode, plan);

  const reportOf = (viewer: Viewer) => reportWith(contextOf(services, viewer), BalanceMode.SMALLEST_FIRST, passing);

  it("moves the smallest running guests until the node is cool, and passes over what would fail", async () => {
    const { hotNodes, suggestions, passedOver } = await report();
    assert.deepEqual(
      hotNodes.map(({ node, memoryPercent, unresolvedReason }) => ({ node, memoryPercent, unresolvedReason })),
      [{ node: "hot", memoryPercent: 91.5527, unresolvedReason: null }],
    );
    assert.deepEqual(
      suggestions.map(({ guestId, toHostId, toNode, freesMemoryMb }) => ({ guestId, toHostId, toNode, freesMemoryMb })),
      [
        { guestId: small, toHostId: 2, toNode: "cool", freesMemoryMb: 1_024 },
        { guestId: large, toHostId: 2, toNode: "cool", freesMemoryMb: 4_096 },
      ],
    );
    assert.deepEqual(passedOver, [
      { hostId: 1, node: "hot", vmid: 105, reason: "the guest is the safety copy of one that has moved" },
      { hostId: 1, node: "hot", vmid: 103, reason: "the guest is locked: backup" },
    ]);
  });

  it("passes over what fails the pre-flight, and suggests what comes next", async () => {
    const { suggestions, passedOver } = await report(
      BalanceMode.SMALLEST_FIRST,
      each(({ guestId }) => (guestId === small ? { ...PASSING, startable: false, problems: [SNAPSHOTS] } : PASSING)),
    );
    assert.deepEqual(
      suggestions.map(({ guestId, downtime }) => ({ guestId, downtime })),
      [{ guestId: large, downtime: "none" }],
    );
    assert.deepEqual(passedOver.at(-1), { hostId: 1, node: "hot", vmid: 101, reason: "the guest has snapshots" });
  });

  const setUnsized = (unsized: string[] | null) =>
    services.pool.query("update guest set unsized_disks = $2 where id = $1", [small, unsized]);

  it("passes over guests with disks of unknown size, as the room that they take is unknown", async () => {
    await setUnsized(["scsi0"]);
    const { suggestions, passedOver } = await report();
    assert.deepEqual(
      suggestions.map(({ guestId }) => guestId),
      [large],
    );
    assert.match(passedOver.find(({ vmid }) => vmid === 101)?.reason ?? "", /states the size of disks.*: scsi0$/);
    await setUnsized(null);
    const unread = await report();
    assert.match(unread.passedOver.find(({ vmid }) => vmid === 101)?.reason ?? "", /configuration was not read yet/);
    await setUnsized([]);
  });

  it("suggests the next best target where the pre-flight fails for the best alone", async () => {
    const notOn = (node: string) =>
      each(({ targetNode }) =>
        targetNode === node ? { ...PASSING, startable: false, problems: [NO_BRIDGE] } : PASSING,
      );
    const { suggestions } = await report(BalanceMode.SMALLEST_FIRST, notOn("cool"));
    assert.deepEqual(
      suggestions.map(({ guestId, toNode }) => ({ guestId, toNode })),
      [{ guestId: small, toNode: "mild" }],
    );
    const nowhere = await report(
      BalanceMode.SMALLEST_FIRST,
      each(() => ({ ...PASSING, startable: false, problems: [NO_BRIDGE] })),
    );
    assert.deepEqual(nowhere.suggestions, []);
    const reasons = nowhere.passedOver.filter(({ vmid }) => vmid < 103).map(({ reason }) => reason);
    assert.deepEqual(reasons, [NO_BRIDGE.message, NO_BRIDGE.message]);
  });

  it("passes over what cannot be checked, and reports why the node stays hot", async () => {
    const { suggestions, hotNodes } = await report(
      BalanceMode.SMALLEST_FIRST,
      each(() => new DroverError("platform", "the host does not answer")),
    );
    assert.deepEqual(suggestions, []);
    assert.match(hotNodes[0]?.unresolvedReason ?? "", /^guest 105: .*; 3 more passed over$/);
  });

  it("names suggestions by what they mean, the same in every report", async () => {
    const [first] = (await report()).suggestions;
    assert.equal(first?.id, `${small}.1.hot.2.cool`);
    assert.deepEqual(readSuggestionId(first?.id ?? ""), {
      guestId: small,
      fromHostId: 1,
      fromNode: "hot",
      toHostId: 2,
      toNode: "cool",
    });
    assert.deepEqual((await report()).suggestions[0]?.id, first?.id);
    for (const id of ["", "1.1.a.2", "x.1.a.2.b", "1.1.a_b.2.b", "1.1.a.2.b.3"])
      assert.equal(readSuggestionId(id), null);
  });

  it("moves fewer guests when asked for the fewest moves", async () => {
    const { suggestions, predicted } = await report(BalanceMode.FEWEST_MOVES);
    assert.deepEqual(
      suggestions.map(({ guestId }) => guestId),
      [large],
    );
    assert.deepEqual(
      predicted.map(({ node, hot }) => ({ node, hot })),
      [
        { node: "hot", hot: false },
        { node: "cool", hot: false },
        { node: "mild", hot: false },
      ],
    );
    const changes = predicted.map(({ memoryPercentNow, memoryPercent }) => Math.sign(memoryPercent - memoryPercentNow));
    assert.deepEqual(changes, [-1, 1, 0]);
  });

  it("obeys thresholds and the most suggestions of the settings", async () => {
    await services.pool.query(`update setting set max_suggestions = 1`);
    const limited = await report();
    assert.equal(limited.suggestions.length, 1);
    assert.match(limited.hotNodes[0]?.unresolvedReason ?? "", /ends after 1 suggestions/);
    await services.pool.query(`update setting set max_suggestions = 10, ram_threshold_percent = 95`);
    assert.deepEqual((await report()).hotNodes, []);
    await services.pool.query(`update setting set ram_threshold_percent = 80`);
  });

  it("is made again while moves fail the pre-flight, and given up after twenty rounds", async () => {
    const asked: number[] = [];
    const noting = (plan: MovePlan) =>
      each(({ guestId }) => {
        asked.push(guestId);
        assert.ok(asked.length <= 20, "a round too many");
        return plan;
      });
    await report(BalanceMode.FEWEST_MOVES, noting(PASSING));
    assert.deepEqual(asked.splice(0), [large]);
    await insertGuests(
      services.pool,
      Array.from({ length: 30 }, (_, index) => ({ host: 1, node: "hot", vmid: 200 + index, memoryMb: 64 })),
    );
    await services.pool.query(`update setting set max_suggestions = 1`);
    const { suggestions } = await report(
      BalanceMode.SMALLEST_FIRST,
      noting({ ...PASSING, startable: false, problems: [SNAPSHOTS] }),
    );
    assert.deepEqual(suggestions, []);
    assert.equal(asked.length, 20);
    assert.equal(new Set(asked).size, 20);
    await services.pool.query(`update setting set max_suggestions = 10`);
    await services.pool.query(`delete from guest where vmid >= 200`);
  });

  it("is for those who manage hosts, and ends at the scope of a token", async () => {
    await refusedAs("forbidden", reportOf(tokenViewer()));
    const scoped = await reportOf(managingToken([1, 3]));
    assert.deepEqual(new Set(scoped.suggestions.map(({ toHostId }) => toHostId)), new Set([3]));
    const blind = await reportOf(managingToken([2]));
    assert.deepEqual(blind.hotNodes, []);
  });
});
