// What clients see of runs: queries, mutations, and the subscription that follows a run to its end, also over a lost connection.
import assert from "node:assert/strict";
import { graphql, parse, subscribe } from "graphql";
import { buildDroverSchema } from "../../../resolvers/buildSchema.js";
import type { Viewer } from "../../../src/access/viewer.js";
import { contextOf, managingToken, tokenViewer } from "../../support/context.js";
import { anyToken } from "../../support/viewers.js";
import { openRunStage, type RunStage } from "./stage.js";

interface Progress {
  readonly status: string;
  readonly done: number;
  readonly items: readonly { readonly status: string; readonly migration: { readonly status: string } | null }[];
}

/** A token that may manage, but another host. */
const elsewhere = managingToken([99]);

const RUN = `id status done total progress items { vmid status reason toNode migration { status evacuationId } }`;

describe("jobs/run: what clients see", () => {
  let stage: RunStage;
  let source: number;

  beforeEach(async () => {
    stage = await openRunStage();
    [source] = stage.hostIds;
  });
  afterEach(() => stage.close());

  const ask = async (query: string, viewer: Viewer = anyToken) => {
    const contextValue = contextOf(stage.services, viewer);
    const { data, errors } = await graphql({ schema: buildDroverSchema(), source: query, contextValue });
    return { data: JSON.parse(JSON.stringify(data ?? null)), code: errors?.[0]?.originalError };
  };

  const follow = async (id: number): Promise<AsyncIterableIterator<Progress>> => {
    const stream = await subscribe({
      schema: buildDroverSchema(),
      document: parse(`subscription { evacuationProgress(id: ${id}) { ${RUN} } }`),
      contextValue: contextOf(stage.services, anyToken),
    });
    assert.ok(Symbol.asyncIterator in stream, JSON.stringify(stream));
    return (async function* () {
      for await (const { data } of stream) yield JSON.parse(JSON.stringify(data)).evacuationProgress;
    })();
  };

  it("starts an evacuation, follows it from its current state to its end, and shows it afterwards", async () => {
    const guestIds = await stage.place([{ vmid: 101 }, { vmid: 102, snapshots: ["s"] }, { vmid: 103 }]);
    const { data } = await ask(
      `mutation { startEvacuation(input: { hostId: ${source}, guestIds: [${guestIds.join()}] }) { ${RUN} } }`,
    );
    const { id, status, total } = data.startEvacuation;
    assert.deepEqual({ status, total }, { status: "QUEUED", total: 3 });
    const states = await follow(id);
    const seen: Progress[] = [(await states.next()).value];
    assert.equal(seen[0]?.status, "QUEUED");
    const following = (async () => {
      for await (const state of states) seen.push(state);
    })();
    await stage.finish(id);
    await following;
    assert.equal(seen.at(-1)?.status, "DONE_WITH_WARNINGS");
    assert.deepEqual(
      seen.at(-1)?.items.map((item) => [item.status, item.migration?.status ?? null]),
      [
        ["DONE", "DONE"],
        ["SKIPPED", null],
        ["DONE", "DONE"],
      ],
    );
    const counts = seen.map(({ done }) => done);
    assert.deepEqual(
      counts,
      counts.toSorted((a, b) => a - b),
      "changes come in order",
    );
    assert.ok(seen.every(({ items }) => items.filter((item) => item.status === "RUNNING").length <= 1));
    const after = await ask(
      `{ evacuation(id: ${id}) { progress done } evacuations { meta { total } items { id hostId } } }`,
    );
    assert.deepEqual(after.data, {
      evacuation: { progress: 1, done: 3 },
      evacuations: { meta: { total: 1 }, items: [{ id, hostId: source }] },
    });
  });

  it("sends the state again after a lost connection", async () => {
    const guestIds = await stage.place([{ vmid: 201 }]);
    const { data } = await ask(
      `mutation { startEvacuation(input: { hostId: ${source}, guestIds: [${guestIds.join()}] }) { id } }`,
    );
    const { id } = data.startEvacuation;
    const states = await follow(id);
    assert.equal((await states.next()).value.status, "QUEUED");
    const next = states.next();
    // The change is made while nobody listens.
    await stage.services.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'drover events'`,
    );
    await stage.services.pool.query(`alter table run disable trigger run_changed`);
    await ask(`mutation { stopEvacuation(id: ${id}) { status } }`);
    const { value } = await next;
    assert.deepEqual([value.status, value.items[0].status], ["STOPPING", "SKIPPED"]);
    await states.return?.();
  });

  it("is for those who manage hosts in scope", async () => {
    const guestIds = await stage.place([{ vmid: 301 }]);
    const start = `mutation { startEvacuation(input: { hostId: ${source}, guestIds: [${guestIds.join()}] }) { id } }`;
    assert.match(String((await ask(start, tokenViewer())).code), /hosts\.manage/);
    assert.match(String((await ask(start, elsewhere)).code), /outside the scope/);
    const { data } = await ask(start);
    const { id } = data.startEvacuation;
    for (const field of [`evacuation(id: ${id}) { id }`, `balanceRun(id: ${id}) { id }`]) {
      assert.match(String((await ask(`{ ${field} }`, elsewhere)).code), /not found/);
    }
    assert.match(
      String((await ask(`{ balanceRun(id: ${id}) { id } }`)).code),
      /not found/,
      "an evacuation is no balance run",
    );
    assert.match(String((await ask(`mutation { stopEvacuation(id: ${id}) { id } }`, elsewhere)).code), /not found/);
    await stage.finish(id);
  });

  it("lists candidates with their guests' records", async () => {
    await stage.place([{ vmid: 401 }, { vmid: 402, running: true }]);
    const { data } = await ask(
      `{ evacuationCandidates(hostId: ${source}) { guest { vmid name } toNode mode startable problems { code severity } ipPlan { kind } expectedSeconds } }`,
    );
    assert.deepEqual(
      data.evacuationCandidates.map((one: { guest: { vmid: number }; mode: string; startable: boolean }) => [
        one.guest.vmid,
        one.mode,
        one.startable,
      ]),
      [
        [401, "OFFLINE", true],
        [402, "LIVE", true],
      ],
    );
  });
});
