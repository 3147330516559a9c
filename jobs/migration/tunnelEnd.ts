// Waits until nothing works on the target's VMID any longer: only then its token may go, and its remains be touched.
import { setTimeout as delay } from "node:timers/promises";
import { targetGuest, targetHost, type MigrationWorld } from "./world.js";

const LOOK_AGAIN_MS = 250;

/** @returns whether it is quiet; false when tasks still run after `patienceMs` */
export async function awaitQuietTarget(world: MigrationWorld, patienceMs: number): Promise<boolean> {
  const hypervisor = await targetHost(world);
  const { node, vmid } = targetGuest(world);
  const deadline = performance.now() + patienceMs;
  for (;;) {
    if ((await hypervisor.activeTasks(node, vmid)).length === 0) return true;
    if (performance.now() > deadline) return false;
    await delay(LOOK_AGAIN_MS, undefined, { signal: world.signal });
  }
}
