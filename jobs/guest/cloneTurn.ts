// Clones a template when it is the job's turn: the platform locks a template for each of its clones, and gives up on many at once.
import { inTransaction } from "../../src/db/transaction.js";
import { waitForEvent } from "../../src/events/waitForEvent.js";
import type { InstallImage } from "../../src/hypervisor/install.js";
import * as cloneTurns from "../../src/store/cloneTurn.js";
import { lost } from "../engine/journal.js";
import type { StepContext } from "../engine/step.js";

/** The end of a turn is announced; the setting may change without. */
const LOOK_AGAIN_MS = 10_000;

type Template = Extract<InstallImage, { kind: "template" }>;

/** Makes a guest of an image: of a template only while no more than the setting `clonesPerTemplate` of it are made. */
export async function inTurn<Result>(
  context: StepContext,
  image: InstallImage,
  make: () => Promise<Result>,
): Promise<Result> {
  if (image.kind === "file") return make();
  await awaitTurn(context, image);
  try {
    return await make();
  } finally {
    // A worker that lost the job, or is stopped, leaves the turn to the one that goes on with it.
    if (!context.signal.aborted) await cloneTurns.end(context.services.pool, context.job.id);
  }
}

/** @throws Fenced; the signal's reason */
async function awaitTurn(context: StepContext, template: Template): Promise<void> {
  if (await hasTurn(context, template)) return;
  const { services, job, signal, waiting } = context;
  const awaited = { topic: "cloneTurn", id: job.hostId ?? -1, timeoutMs: LOOK_AGAIN_MS, signal } as const;
  const read = async (): Promise<true | null> => (await hasTurn(context, template)) || null;
  waiting.waits(`other clones of template ${template.vmid} on node ${template.node} are made first`, LOOK_AGAIN_MS);
  while ((await waitForEvent(services.events, awaited, read)) === null);
  waiting.goesOn();
}

async function hasTurn({ services, job }: StepContext, { vmid }: Template): Promise<boolean> {
  const template = { hostId: job.hostId ?? -1, vmid };
  const turn = await inTransaction(services.pool, (client) => cloneTurns.take(client, job, template));
  if (turn === "lost") throw lost(job);
  return turn === "begun";
}
