// Finds work of every kind in the demo, and begins what is missing, so that the pages of work have something to show.
import assert from "node:assert/strict";
import { z } from "zod";
import { eventually } from "../../support/eventually.js";
import { secondPerson } from "../support/ask.js";

/** Generous: it ends only a test that fails. */
const PATIENCE_MS = 120_000;
/** A node of this host counts as overloaded with the low threshold, and has guests that can go elsewhere. */
const HOST_ID = 2;
const LOW_PERCENT = 30;
const UNDER_WAY = ["QUEUED", "RUNNING", "STOPPING"];

export interface Work {
  readonly job: number;
  readonly migration: number;
  readonly evacuation: number;
  readonly balanceRun: number;
}

type Ask = Awaited<ReturnType<typeof secondPerson>>;

const run = z.object({ id: z.number(), status: z.string() });
const page = z.object({ items: z.array(run) });
const newest = z.object({ jobs: page, migrations: page, evacuations: page, balanceRuns: page });
const candidates = z.object({
  evacuationCandidates: z.array(z.object({ guest: z.object({ id: z.number() }), startable: z.boolean() })),
});
const report = z.object({ balanceReport: z.object({ suggestions: z.array(z.object({ id: z.string() })) }) });
const settings = z.object({ settings: z.object({ ramThresholdPercent: z.number() }) });

/** An evacuation is made of jobs and migrations: what it leaves is enough for their pages. */
export async function workOfEveryKind(): Promise<Work> {
  const ask = await secondPerson();
  const found = await newestWork(ask);
  if (found.balanceRuns.items.length === 0) await balanceOnce(ask);
  if (found.evacuations.items.length === 0) await evacuateOne(ask);
  const { jobs, migrations, evacuations, balanceRuns } = await newestWork(ask);
  return {
    job: firstOf(jobs),
    migration: firstOf(migrations),
    evacuation: firstOf(evacuations),
    balanceRun: firstOf(balanceRuns),
  };
}

async function newestWork(ask: Ask): Promise<z.infer<typeof newest>> {
  const fields = "(perPage: 1) { items { id status } }";
  return newest.parse(await ask(`{ jobs${fields} migrations${fields} evacuations${fields} balanceRuns${fields} }`));
}

function firstOf({ items }: z.infer<typeof page>): number {
  const [first] = items;
  assert.ok(first !== undefined);
  return first.id;
}

async function balanceOnce(ask: Ask): Promise<void> {
  const before = settings.parse(await ask("{ settings { ramThresholdPercent } }"));
  await setThreshold(ask, LOW_PERCENT);
  await eventually(async () => {
    const { balanceReport } = report.parse(await ask("{ balanceReport { suggestions { id } } }"));
    const [suggestion] = balanceReport.suggestions;
    assert.ok(suggestion !== undefined);
    await ask("mutation ($ids: [ID!]!) { startBalanceRun(suggestionIds: $ids) { id } }", { ids: [suggestion.id] });
  }, PATIENCE_MS);
  await setThreshold(ask, before.settings.ramThresholdPercent);
  await ended(ask, "balanceRuns");
}

async function setThreshold(ask: Ask, percent: number): Promise<void> {
  await ask(
    "mutation ($percent: Float!) { updateSettings(input: { ramThresholdPercent: $percent }) { ramThresholdPercent } }",
    { percent },
  );
}

async function evacuateOne(ask: Ask): Promise<void> {
  const { evacuationCandidates } = candidates.parse(
    await ask(`{ evacuationCandidates(hostId: ${HOST_ID}) { guest { id } startable } }`),
  );
  const guestIds = evacuationCandidates.filter(({ startable }) => startable).map(({ guest }) => guest.id);
  await ask("mutation ($input: EvacuationInput!) { startEvacuation(input: $input) { id } }", {
    input: { hostId: HOST_ID, guestIds: guestIds.slice(0, 1) },
  });
  await ended(ask, "evacuations");
  await ask(`mutation { setMaintenance(hostId: ${HOST_ID}, on: false) { id } }`);
}

async function ended(ask: Ask, kind: "balanceRuns" | "evacuations"): Promise<void> {
  await eventually(async () => {
    const [latest] = (await newestWork(ask))[kind].items;
    assert.ok(latest !== undefined && !UNDER_WAY.includes(latest.status), latest?.status);
  }, PATIENCE_MS);
}
