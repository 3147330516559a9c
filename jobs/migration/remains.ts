// Recognizes what a transfer left on the target, also after its lock was taken off: until then the lock was the proof.
import { createHash } from "node:crypto";
import { configOrNull } from "../../src/host/locateGuest.js";
import type { GuestConfig } from "../../src/hypervisor/guestConfig.js";
import { targetGuest, targetHost, type MigrationContext, type Remains } from "./context.js";

/** Put on record before the lock goes: whoever takes over in the middle removes them all the same. */
export async function rememberRemains(context: MigrationContext): Promise<void> {
  const config = await configOrNull(await targetHost(context), targetGuest(context));
  if (config === null || config.lock === null) return;
  await context.remember({ remains: { lock: config.lock, mark: markOf(config) } });
}

/** What a move remembers of them, if anything. */
export interface KnownRemains {
  readonly remains?: Remains;
}

/** @returns whether this move has taken the lock off its own remains on the target */
export const isUnlockedRemains = ({ remains }: KnownRemains, config: GuestConfig): boolean =>
  config.lock === null && remains?.mark === markOf(config);

function markOf({ settings, passingSettings }: GuestConfig): string {
  const lasting = Object.entries(settings).filter(([key]) => !passingSettings.includes(key));
  const sorted = lasting.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(sorted)).digest("hex");
}
