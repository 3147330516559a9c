// Recognizes what a transfer left on the target, also after its lock was taken off: until then the lock was the proof.
import { createHash } from "node:crypto";
import { configOrNull } from "../../src/actions/guest/locateGuest.js";
import type { GuestConfig } from "../../src/hypervisor/guestConfig.js";
import { targetGuest, targetHost, type MigrationContext, type Remains } from "./context.js";

/** What changes while they are removed. */
const PASSING: ReadonlySet<string> = new Set(["lock", "protection"]);

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

/** @returns the lock that this move has taken off its own remains on the target; null: it has a lock, or is something else */
export function unlockedFrom({ remains }: KnownRemains, config: GuestConfig): string | null {
  const isUnlocked = config.lock === null && remains?.mark === markOf(config);
  return isUnlocked ? remains.lock : null;
}

function markOf({ settings: values }: GuestConfig): string {
  const lasting = Object.entries(values).filter(([key]) => !PASSING.has(key));
  const sorted = lasting.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(sorted)).digest("hex");
}
