// Proves that a guest is stopped, and stays so, right before it is destroyed: a stop that is on record may be long ago.
import { pauseUnlessAborted, type Pausing } from "../../src/concurrency/pause.js";
import { GuestStatus } from "../../src/core/enums.js";
import { DroverError } from "../../src/errors/errors.js";
import type { GuestAddress } from "../../src/hypervisor/guest.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import { TaskWork, type TaskStatus } from "../../src/hypervisor/task.js";

const LOOK_AGAIN_MS = 500;
/** A start or a restart that takes longer is left to the platform, which refuses to destroy what runs. */
const STARTING_MS = 2 * 60_000;
const MOST_STOPS = 3;
const MOST_DESTRUCTIONS = 3;

/** Tasks after whose end a guest that is stopped now may run. */
const STARTING: readonly TaskWork[] = [TaskWork.START, TaskWork.REQUEST_START];

interface WatchedGuest {
  readonly hypervisor: Pick<Hypervisor, "activeTasks" | "guestStatus">;
  readonly guest: GuestAddress;
}

/**
 * Has a guest stopped that runs, and waits for what may start it. One that is started again and again is left as it is: the
 * platform then refuses to destroy it. @throws what `stop` throws; DroverError platform; the signal's reason
 */
export async function bringToRest(context: Pausing, watched: WatchedGuest, stop: () => Promise<void>): Promise<void> {
  for (let stops = 0; !(await isAtRest(context, watched)) && stops < MOST_STOPS; stops++) await stop();
}

async function isAtRest(context: Pausing, { hypervisor, guest }: WatchedGuest): Promise<boolean> {
  const deadline = context.stopwatch.milliseconds() + STARTING_MS;
  for (;;) {
    // In this order: what ends between the two looks shows in the second.
    const isStarting = (await hypervisor.activeTasks(guest.node, guest.vmid)).some(starts);
    if (!(await isStopped(hypervisor, guest))) return false;
    if (!isStarting || context.stopwatch.milliseconds() > deadline) return true;
    await pauseUnlessAborted(context, LOOK_AGAIN_MS);
  }
}

/** Whether no process of the guest runs: a machine that sleeps on its disk has none either. */
export async function isStopped(hypervisor: Pick<Hypervisor, "guestStatus">, guest: GuestAddress): Promise<boolean> {
  const { status } = await hypervisor.guestStatus(guest);
  return status === GuestStatus.STOPPED || status === GuestStatus.SUSPENDED;
}

const starts = ({ work }: TaskStatus): boolean => STARTING.includes(work);

/**
 * Destroys a guest, and tries again when that failed because the guest had been started meanwhile.
 * @param mayRun whether the guest may have been running when the platform refused it, told the number of the attempt
 * @throws the error of the last attempt
 */
export async function inSpiteOfStarts<Result>(
  attempt: (number: number) => Promise<Result>,
  mayRun: (number: number) => Promise<boolean>,
): Promise<Result> {
  for (let number = 1; ; number++) {
    try {
      return await attempt(number);
    } catch (error) {
      const isRefusal = error instanceof DroverError && error.kind === "platform";
      if (!isRefusal || number === MOST_DESTRUCTIONS || !(await mayRun(number))) throw error;
    }
  }
}
