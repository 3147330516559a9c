// The steps of a reinstallation: record what stays, remove the old guest, make the new one under its VMID, start it.
import { requireQuorum } from "../../src/host/quorum.js";
import { GuestType, JobKind, PowerAction } from "../../src/core/enums.js";
import { GIB } from "../../src/core/units.js";
import { PlatformReason } from "../../src/hypervisor/platformError.js";
import { growBootDisk } from "../guest/bootDisk.js";
import { lookAgain } from "../guest/lookAgain.js";
import { installGuest } from "../guest/install.js";
import { startGuest } from "../guest/power.js";
import { onOwnGuest } from "../guest/stillOwn.js";
import { DESTROY, destroyTarget, stopTarget } from "../guest/removal.js";
import { guestWords, rollBackMade } from "../guest/rollBack.js";
import { targetOf } from "../guest/target.js";
import { PASSING_FOR_REPEATABLE, retryTransient } from "../engine/retry.js";
import { define, KEPT, wasBegun, type Step, type UndoResult } from "../engine/step.js";
import { configure } from "./configure.js";
import { completeKept, examine } from "./examine.js";
import { grant, guard } from "./guard.js";
import { record, recordDoubt, recordLoss, recordStart } from "./record.js";
import { reserveRoom } from "./room.js";
import { installationOf, keptOf, type ReinstallFacts, type ReinstallContext } from "./context.js";

/** Without its old guest a customer has nothing: a host that is away is waited for, a quarter of an hour. */
const PATIENCE_MS = 15 * 60_000;
/** Time to give the connection a right, or a new credential, that it turns out to lack. */
const PASSING = [...PASSING_FOR_REPEATABLE, PlatformReason.FORBIDDEN];
/** A host that refuses for a reason of the moment, such as a busy worker or a storage that is away, is asked again. */
const REFUSED_MS = 15_000;

/** Waits until the cluster of the guest can change anything: it would be stopped for nothing. */
const onceQuorate = (step: Step<ReinstallFacts>): Step<ReinstallFacts> => ({
  ...step,
  async run(context) {
    const patience = { patienceMs: PATIENCE_MS, passing: [], awaitsQuorum: true };
    await retryTransient(context, patience, async () => requireQuorum(await context.hypervisor()));
    return step.run(context);
  },
});

const stop: Step<ReinstallFacts> = {
  name: "stop",
  weight: 10,
  async run(context) {
    await stopTarget(context);
    return {};
  },
  /** Nothing is undone: the old guest is there, and stopped. */
  async undo(context) {
    if (!wasBegun(context.facts, PowerAction.STOP)) return null;
    if (wasBegun(context.facts, DESTROY)) return KEPT;
    return oldGuest(context, "stopped first");
  },
};

const destroy: Step<ReinstallFacts> = {
  name: "destroy",
  weight: 10,
  async run(context) {
    await completeKept(context);
    await reserveRoom(context);
    await destroyTarget(context, { isReplaced: true });
    return { destroyed: true };
  },
  undo: settle,
};

const create: Step<ReinstallFacts> = {
  name: "create",
  weight: 60,
  async run(context) {
    await installGuest(context, installationOf(context));
    return { made: true };
  },
};

const resize: Step<ReinstallFacts> = {
  name: "resize",
  weight: 5,
  async run(context) {
    const { guest, diskGb } = keptOf(context);
    if (guest.type === GuestType.QEMU) await growBootDisk(context, guest, Math.round(diskGb * GIB));
    return {};
  },
};

const start: Step<ReinstallFacts> = {
  name: "start",
  weight: 10,
  async run(context) {
    await startGuest(context, keptOf(context).guest);
    await recordStart(context);
    return {};
  },
};

/** The step, repeated while what hinders it may pass: each attempt looks first what came of one whose answer was lost. */
const persistent = (step: Step<ReinstallFacts>): Step<ReinstallFacts> => ({
  ...step,
  run(context) {
    const refusals = { patienceMs: REFUSED_MS, passing: [PlatformReason.REFUSED] };
    const attempt = async (): Promise<Partial<ReinstallFacts>> => {
      await requireQuorum(await context.hypervisor());
      return retryTransient(context, refusals, () => step.run(context));
    };
    return retryTransient(context, { patienceMs: PATIENCE_MS, passing: PASSING, awaitsQuorum: true }, attempt);
  },
});

const onNewGuest = (step: Step<ReinstallFacts>): Step<ReinstallFacts> =>
  onOwnGuest(step, (context) => keptOf(context).guest);

export const guestReinstall = define<ReinstallFacts>({
  kind: JobKind.GUEST_REINSTALL,
  steps: [
    examine,
    onceQuorate(stop),
    persistent(destroy),
    persistent(create),
    ...[record, configure, guard].map((step) => persistent(onNewGuest(step))),
    onNewGuest(grant),
    ...[resize, start].map((step) => persistent(onNewGuest(step))),
  ],
});

async function oldGuest(context: ReinstallContext, fate: string): Promise<string> {
  const target = await targetOf(context);
  if (target !== null) await lookAgain(context, target);
  return `${guestWords(keptOf(context).guest)}, which was to be ${fate}`;
}

/**
 * The old guest cannot be brought back. A new one that is complete on the platform stays, with its record: it can be installed
 * again; one that is not is removed, and the record with it. What took its place meanwhile is not touched: the next sync finds it.
 */
async function settle(context: ReinstallContext): Promise<UndoResult> {
  const { facts } = context;
  if (facts.destroyed !== true)
    return wasBegun(facts, DESTROY) ? oldGuest(context, "removed: whether it is there has to be looked at") : null;
  const { guest } = keptOf(context);
  if (facts.replaced === true) {
    await recordLoss(context);
    return KEPT;
  }
  if (facts.made === true) {
    await recordDoubt(context);
    return `${guestWords(guest)}, reinstalled but not set up completely`;
  }
  const half = await rollBackMade(context, guest);
  await recordLoss(context);
  const what = half ?? `nothing of ${guestWords(guest)}`;
  return `${what}: the old installation had been removed already`;
}
