// Waits until no task works on a guest any longer.
import { setTimeout as delay } from "node:timers/promises";
import type { GuestAddress } from "../../src/hypervisor/guest.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";

const LOOK_AGAIN_MS = 250;

/** A guest, and the host to ask about it. */
interface WatchedGuest {
  readonly hypervisor: Hypervisor;
  readonly guest: Pick<GuestAddress, "node" | "vmid">;
}

/** @returns whether nothing works on the guest; false when tasks still run after `patienceMs`. @throws the signal's reason */
export async function awaitQuiet(
  { hypervisor, guest: { node, vmid } }: WatchedGuest,
  { patienceMs, signal }: { readonly patienceMs: number; readonly signal: AbortSignal },
): Promise<boolean> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    if ((await hypervisor.activeTasks(node, vmid)).length === 0) return true;
    if (performance.now() > deadline) return false;
    await delay(LOOK_AGAIN_MS, undefined, { signal });
  }
}
