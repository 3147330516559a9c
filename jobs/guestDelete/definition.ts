// The steps of a deletion: check that it is possible, stop the guest, destroy it, remove it from the inventory.
import { forgetGuest } from "../guest/forgetGuest.js";
import type { LocatedGuest } from "../../src/host/locateGuest.js";
import { requireQuorum } from "../../src/host/quorum.js";
import { GuestStatus, JobKind, PowerAction } from "../../src/core/enums.js";
import { safetyCopyTag } from "../../src/core/safetyCopy.js";
import { DroverError } from "../../src/errors/errors.js";
import { lookAgain } from "../guest/lookAgain.js";
import { destroyTarget, requireRemovable, stopTarget } from "../guest/removal.js";
import { guestWords } from "../guest/rollBack.js";
import { locateTarget, targetOf } from "../guest/target.js";
import { inFencedTransaction } from "../engine/journal.js";
import { wasBegun, define, type JobFacts, type Step, type StepContext } from "../engine/step.js";

/** A guest that is gone already needs nothing of the platform. */
const examine: Step<JobFacts> = {
  name: "examine",
  weight: 1,
  async run(context) {
    const located = await locateTarget(context);
    if (located === null) return {};
    requireRemovable(located);
    await requireQuorum(await context.hypervisor());
    return {};
  },
};

const stop: Step<JobFacts> = {
  name: "stop",
  weight: 10,
  async run(context) {
    await stopTarget(context);
    return {};
  },
  undo: whatIsLeft,
};

const destroy: Step<JobFacts> = {
  name: "destroy",
  weight: 30,
  async run(context) {
    await destroyTarget(context);
    return {};
  },
};

const forget: Step<JobFacts> = {
  name: "forget",
  weight: 1,
  async run({ services, job }) {
    const { guestId } = job;
    if (guestId === null) return {};
    await inFencedTransaction(services.pool, job, (client) => forgetGuest(client, guestId));
    return {};
  },
};

export const guestDelete = define({
  kind: JobKind.GUEST_DELETE,
  steps: [examine, stop, destroy, forget],
});

/** Whoever started the original again, or took its tag off, goes back to it: then it is no copy any longer. */
const examineCopy: Step<JobFacts> = {
  name: "examine",
  weight: 1,
  async run(context) {
    const located = await locateTarget(context);
    if (located === null) return {};
    requireRemovable(located);
    await requireUnused(context, located);
    return {};
  },
};

const destroyCopy: Step<JobFacts> = {
  ...destroy,
  async run(context) {
    await destroyTarget(context, { prepare: requireUnused });
    return {};
  },
};

/** Nobody asked for a guest that runs to be deleted: a safety copy is never stopped. */
export const safetyCopyDelete = define({
  kind: JobKind.SAFETY_COPY_DELETE,
  steps: [examineCopy, destroyCopy, forget],
});

/** @throws DroverError conflict */
async function requireUnused(context: StepContext, { guest, config }: LocatedGuest): Promise<void> {
  const { status } = await (await context.hypervisor()).guestStatus(guest);
  const isUsed = status === GuestStatus.RUNNING || status === GuestStatus.PAUSED;
  const isMarked = config.tags.includes(safetyCopyTag(context.services.config.brand));
  if (!isUsed && isMarked) return;
  const why = isUsed ? "it was started" : "its tag was taken off";
  throw new DroverError("conflict", `the safety copy ${guest.vmid} on ${guest.node} is kept: ${why}`);
}

/** Nothing is undone: a guest that could not be destroyed is there, and stopped by now. */
async function whatIsLeft(context: StepContext): Promise<string | null> {
  if (!wasBegun(context.facts, PowerAction.STOP)) return null;
  const target = await targetOf(context);
  if (target === null) return null;
  await lookAgain(context, target);
  return `${guestWords(target)}, which was to be stopped first`;
}
