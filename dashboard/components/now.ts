// One clock for all ages on screen: they grow together, and only while the page is seen.
import { useSyncExternalStore } from "react";

const TICK_MS = 1_000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: number | undefined;

function tick(): void {
  if (document.hidden) return;
  now = Date.now();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= window.setInterval(tick, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.clearInterval(timer);
    timer = undefined;
  };
}

document.addEventListener("visibilitychange", tick);

/** The present moment, milliseconds since 1970; changes every second. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);
