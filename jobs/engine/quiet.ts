// Waits until no task works on a guest any longer.
import { pauseUnlessAborted, type Pausing } from "../../src/concurrency/pause.js";
import type { GuestAddress } from "../../src/hypervisor/guest.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";

const LOOK_AGAIN_MS = 250;

/** A guest, and the host to ask about it. */
interface WatchedGuest {
  readonly hypervisor: Pick<Hypervisor, "activeTasks">;
  readonly guest: Pick<GuestAddress, "node" | "vmid">;
}

/** @returns whether nothing works on the guest; false when tasks still run after `patienceMs`. @throws the signal's reason */
export async function awaitQuiet(
  pausing: Pausing,
  { hypervisor, guest: { node, vmid } }: WatchedGuest,
  patienceMs: number,
): Promise<boolean> {
  const deadline = pausing.stopwatch.milliseconds() + patienceMs;
  for (;;) {
    if ((await hypervisor.activeTasks(node, vmid)).length === 0) return true;
    if (pausing.stopwatch.milliseconds() > deadline) return false;
    await pauseUnlessAborted(pausing, LOOK_AGAIN_MS);
  }
}
