// What clients are told over graphql-ws of moves that another process carries out: each state in order, from the first to the last.
import assert from "node:assert/strict";
import type { RunningHost } from "../../../simulator/host.js";
import { MigrationStep } from "../../../src/core/enums.js";
import { control } from "../../inventory/support/control.js";
import { createTestDatabase, type TestDatabase } from "../../support/database.js";
import type { ApiClient } from "./support/client.js";
import {
  furnish,
  GUESTS,
  guestIdOf,
  letThemEnd,
  placeMore,
  slowDown,
  startHosts,
  startMoves,
  type MovingSite,
} from "./support/moves.js";
import { apiClient, Processes } from "./support/processes.js";

interface Move {
  readonly status: string;
  readonly step: string;
  readonly mode: string;
  readonly progress: number | null;
  readonly bytesTotal: number;
  readonly bytesCopied: number | null;
  readonly transferDone: boolean;
  readonly warnings: readonly string[];
  readonly safetyCopy: string;
  readonly log: readonly string[];
}

const MOVE = `subscription ($id: Int!) { migrationProgress(id: $id) {
  status step mode progress bytesTotal bytesCopied transferDone warnings safetyCopy log } }`;

interface Run {
  readonly status: string;
  readonly done: number;
  readonly total: number;
  readonly items: readonly { vmid: number; status: string; migration: { status: string; step: string } | null }[];
}

const RUN = "status done total items { vmid status migration { status step } }";

const STEPS = Object.values(MigrationStep).map((step) => step.toUpperCase());

describe("the progress of moves over graphql-ws", function () {
  this.timeout(300_000);
  let database: TestDatabase;
  let processes: Processes;
  let hosts: [RunningHost, RunningHost];
  let api: ApiClient;
  let site: MovingSite;
  before(async () => {
    database = await createTestDatabase();
    processes = new Processes({ DATABASE_URL: database.url });
    const [simulated, door] = await Promise.all([startHosts(), processes.start({ DROVER_ROLE: "api" })]);
    hosts = simulated;
    api = await apiClient(door);
    site = await furnish(api, door.url, hosts);
  });
  after(async () => {
    await site.close();
    await processes.end();
    await Promise.all(hosts.map((host) => host.close()));
    await database.close();
  });

  it("reports every step of a move in each mode, its bytes as they grow, and its end", async () => {
    const ids = await startMoves(api, site);
    const copying = GUESTS.map(() => Promise.withResolvers<void>());
    const following = ids.map((id, index) => follow(id, () => copying[index]?.resolve()));
    await processes.start({ DROVER_ROLE: "worker" });
    await Promise.all(copying.map(({ promise }) => promise));
    await letThemEnd(site);
    for (const [index, states] of (await Promise.all(following)).entries())
      assertToldInOrder(states, GUESTS[index]?.mode);
  });

  /** @param copies called when a second figure of bytes was told */
  async function follow(id: number, copies: () => void): Promise<Move[]> {
    const states: Move[] = [];
    const figures = new Set<number>();
    for await (const { migrationProgress: state } of api.subscribe<{ migrationProgress: Move }>(MOVE, { id })) {
      states.push(state);
      if (state.bytesCopied !== null && figures.add(state.bytesCopied).size > 1) copies();
    }
    return states;
  }

  it("reports the turns of a balance run, and its end", async () => {
    await placeMore(api, site, [301]);
    await slowDown(site);
    await makeHot(0.9);
    const { balanceReport: report } = await api.graphql<{ balanceReport: { suggestions: { id: string }[] } }>(
      "{ balanceReport { suggestions { id guest { vmid } } } }",
    );
    assert.equal(report.suggestions.length, 1);
    const { startBalanceRun: run } = await api.graphql<{ startBalanceRun: { id: number } }>(
      "mutation ($ids: [ID!]!) { startBalanceRun(suggestionIds: $ids) { id } }",
      { ids: report.suggestions.map(({ id }) => id) },
    );
    assertTurns(await followRun("balanceRunProgress", run.id), [301]);
  });

  /** Has the source use this share of its RAM. */
  async function makeHot(share: number): Promise<void> {
    const { node } = await api.graphql<{ node: { memoryMb: number } }>(
      'query ($hostId: Int!) { node(hostId: $hostId, name: "pvea") { memoryMb } }',
      { hostId: site.sourceId },
    );
    await control(site.source.control).post("/nodes/pvea", { memUsedMb: Math.round(node.memoryMb * share) });
    await api.graphql("mutation ($id: Int!) { syncHost(id: $id) { id } }", { id: site.sourceId });
  }

  it("reports the turns of an evacuation, one guest at a time, and its end", async () => {
    await placeMore(api, site, [401, 402]);
    await slowDown(site);
    const guestIds = await Promise.all([401, 402].map((vmid) => guestIdOf(api, site, { vmid, type: "qemu" })));
    const { startEvacuation: run } = await api.graphql<{ startEvacuation: { id: number } }>(
      "mutation ($input: EvacuationInput!) { startEvacuation(input: $input) { id } }",
      { input: { hostId: site.sourceId, guestIds } },
    );
    assertTurns(await followRun("evacuationProgress", run.id), [401, 402]);
  });

  async function followRun(field: "balanceRunProgress" | "evacuationProgress", id: number): Promise<Run[]> {
    const states: Run[] = [];
    const asked = `subscription ($id: Int!) { ${field}(id: $id) { ${RUN} } }`;
    for await (const { [field]: state } of api.subscribe<Record<typeof field, Run>>(asked, { id })) {
      states.push(state);
      if (isMoving(state)) await letThemEnd(site);
    }
    return states;
  }
});

function assertToldInOrder(states: readonly Move[], mode: string | undefined): void {
  const [first, last] = [states[0], states.at(-1)];
  assert.equal(first?.mode, mode?.toUpperCase());
  assert.deepEqual([first?.status, first?.step, first?.bytesCopied], ["QUEUED", "PREFLIGHT", null]);
  assert.deepEqual([last?.status, last?.step, last?.progress, last?.safetyCopy], ["DONE", "FINISHED", 1, "KEPT"]);
  assert.deepEqual(last?.warnings, []);
  assert.ok(last !== undefined && last.log.length > 0);
  assertNeverBack(states.map(({ step }) => STEPS.indexOf(step)));
  assertNeverBack(states.map(({ bytesCopied }) => bytesCopied ?? 0));
  assertNeverBack(states.flatMap(({ progress }) => progress ?? []));
  assertNeverBack(states.map(({ transferDone }) => Number(transferDone)));
  const between = states.slice(1, -1).map(({ status }) => status);
  assert.deepEqual(new Set(between), new Set(["RUNNING"]));
  assert.ok(states.every(({ progress }) => progress === null || (progress >= 0 && progress <= 1)));
  assert.ok(states.some(({ step, transferDone }) => step === "TRANSFER" && !transferDone));
}

const isMoving = ({ items }: Run): boolean =>
  items.some(({ status, migration }) => status === "RUNNING" && migration?.step === "TRANSFER");

function assertTurns(states: readonly Run[], vmids: readonly number[]): void {
  const last = states.at(-1);
  assert.deepEqual([last?.status, last?.done, last?.total], ["DONE", vmids.length, vmids.length]);
  assert.deepEqual(
    last?.items.map(({ vmid, status, migration }) => [vmid, status, migration?.status]),
    vmids.map((vmid) => [vmid, "DONE", "DONE"]),
  );
  assertNeverBack(states.map(({ done }) => done));
  assert.ok(states.every(({ items }) => items.filter(({ status }) => status === "RUNNING").length <= 1));
  assert.ok(states.some(isMoving));
}

function assertNeverBack(values: readonly number[]): void {
  assert.ok(!values.includes(-1));
  assert.deepEqual(
    values,
    values.toSorted((left, right) => left - right),
  );
}
