// Moves the guest: starts the platform's transfer once, joins it after a crash, and checks afterwards where the guest really is.
import { setTimeout as delay } from "node:timers/promises";
import { machineTime } from "../../src/concurrency/clock.js";
import { MigrationStep } from "../../src/core/enums.js";
import { Whereabouts } from "../../src/core/migration/whereabouts.js";
import { DroverError } from "../../src/errors/errors.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import { TaskWork, type Upid } from "../../src/hypervisor/task.js";
import type { TransferEnd } from "../../src/hypervisor/transfer.js";
import { isPlatformError, PlatformReason } from "../../src/hypervisor/platformError.js";
import { wasBegun, type Step } from "../engine/step.js";
import { markMoved } from "./commitPoint.js";
import { clearTarget } from "./clearTarget.js";
import { targetEndpoint } from "./endpoint.js";
import { followTransfer } from "./followTransfer.js";
import { lookForGuest } from "./lookForGuest.js";
import { tokenOf } from "./targetToken.js";
import {
  inputOf,
  modeOf,
  patiently,
  persistently,
  proveHeld,
  sourceGuest,
  sourceHost,
  type MigrationFacts,
  type MigrationContext,
} from "./context.js";

/** Hosts that do not answer are waited for: only they know what became of the guest. */
const PATIENCE_MS = 30 * 60_000;
/** The platform may still start what its answer was lost of: it gives up contacting the target within 30 s. */
const LATE_START_MS = 35_000;
const LOOK_AGAIN_MS = 500;
/** What is asked before anything is begun is worth a short wait only. */
const LOOK_MS = 20_000;

export const transfer: Step<MigrationFacts> = {
  name: MigrationStep.TRANSFER,
  weight: 88,
  async run(context) {
    // Found only during the rollback: a retry goes on from there.
    if (context.facts.transferDone === true) return {};
    const host = await sourceHost(context);
    const upid = context.facts.tasks?.[MigrationStep.TRANSFER] ?? (await begin(context, host));
    const end = await followToEnd(context, host, upid);
    const where = await persistently(context, PATIENCE_MS, () => lookForGuest(context, end.succeeded));
    if (where !== Whereabouts.MOVED) throw notMoved(end);
    if (!end.succeeded && end.isKnown) context.warn(`the guest has moved, but its transfer ended with: ${end.reason}`);
    warnOfDetour(context);
    await markMoved(context);
    return { transferDone: true };
  },
};

function warnOfDetour(context: MigrationContext): void {
  const { landed } = context.facts;
  if (landed === undefined) return;
  const { node } = inputOf(context).target;
  context.warn(
    `the guest is on ${landed.node}, not on ${node}: that is the node which answers at the address of ${node}`,
  );
}

async function begin(context: MigrationContext, host: Hypervisor): Promise<Upid> {
  const underWay = wasBegun(context.facts, MigrationStep.TRANSFER) ? await awaitOwn(context, host) : null;
  const upid = underWay ?? (await order(context, host));
  await context.rememberTask(MigrationStep.TRANSFER, upid);
  return upid;
}

const transfersOf = async (context: MigrationContext, host: Hypervisor) => {
  const { node, vmid } = sourceGuest(context);
  return (await host.guestTasks(node, vmid)).filter((task) => task.work === TaskWork.SEND);
};

const tasksNow = async (context: MigrationContext, host: Hypervisor): Promise<readonly Upid[]> =>
  (await patiently(context, LOOK_MS, () => transfersOf(context, host))).map(({ upid }) => upid);

/** A transfer of this guest that was not there before ours was begun; its VMID is locked against all others. */
async function findOwn(context: MigrationContext, host: Hypervisor): Promise<Upid | null> {
  const before = new Set(context.facts.tasksBefore);
  const own = (await transfersOf(context, host)).filter(({ upid }) => !before.has(upid));
  return own[0]?.upid ?? null;
}

async function order(context: MigrationContext, host: Hypervisor): Promise<Upid> {
  const { storages, bridges, target, bandwidthMib } = inputOf(context);
  const [endpoint, { token, secret }] = await Promise.all([
    patiently(context, LOOK_MS, () => targetEndpoint(context)),
    tokenOf(context),
  ]);
  await patiently(context, LOOK_MS, () => clearTarget(context));
  await noteOrder(context, host);
  try {
    return await host.migrateRemotely({
      guest: sourceGuest(context),
      mode: modeOf(context),
      endpoint,
      token,
      secret,
      storages,
      bridges,
      targetVmid: target.vmid,
      bandwidthMib,
    });
  } catch (error) {
    if (!isPlatformError(error, PlatformReason.UNCERTAIN)) throw error;
    const found = await awaitOwn(context, host);
    if (found === null) throw error;
    return found;
  }
}

/** Writes down that the transfer is about to be ordered, as the last thing before it is. @throws Fenced */
async function noteOrder(context: MigrationContext, host: Hypervisor): Promise<void> {
  const begun = context.facts.begun ?? [];
  const first = !begun.includes(MigrationStep.TRANSFER);
  const tasksBefore = first ? await tasksNow(context, host) : context.facts.tasksBefore;
  await proveHeld(() =>
    context.remember({
      ...(first && { begun: [...begun, MigrationStep.TRANSFER] }),
      ...(tasksBefore && { tasksBefore }),
      targetWasClear: true,
      orderedAt: machineTime(context.services.clock).toISOString(),
    }),
  );
}

/** Looks for the task of an order whose answer nobody has seen, as long as it may still start. */
async function awaitOwn(context: MigrationContext, host: Hypervisor): Promise<Upid | null> {
  const { orderedAt } = context.facts;
  const lastStart = orderedAt === undefined ? 0 : Date.parse(orderedAt) + LATE_START_MS;
  for (;;) {
    const isLast = machineTime(context.services.clock).getTime() > lastStart;
    const found = await persistently(context, LATE_START_MS, () => findOwn(context, host));
    if (found !== null || isLast) return found;
    await delay(LOOK_AGAIN_MS, undefined, { signal: context.signal });
  }
}

/** Another transfer of the guest that runs after all is followed too: nothing is judged while one lives. */
async function followToEnd(context: MigrationContext, host: Hypervisor, upid: Upid): Promise<TransferEnd> {
  const end = await followTransfer(context, host, upid);
  const running = (await persistently(context, PATIENCE_MS, () => transfersOf(context, host))).find(
    (task) => task.running,
  );
  return running === undefined ? end : followToEnd(context, host, running.upid);
}

function notMoved(end: TransferEnd): DroverError {
  const how = end.succeeded
    ? "the transfer ended well, but the guest is not complete on the target any longer"
    : `the transfer failed: ${end.reason}`;
  return new DroverError("platform", how, { reason: "TRANSFER_FAILED" });
}
