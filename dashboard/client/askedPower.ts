// Remembers what power was asked for and when: until a guest shows it, all that is true is that it was asked.
import { useSyncExternalStore } from "react";
import type { GuestStatus, PowerAction } from "../generated/documents.js";

/** An order that the platform has taken. */
export interface AskedPower {
  readonly action: PowerAction;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** How the guest was when it was asked. */
  readonly statusBefore: GuestStatus;
}

interface AskedGuest {
  readonly id: number;
  readonly status: GuestStatus;
}

const orders = new Map<number, AskedPower>();
const listeners = new Set<() => void>();

export function notePower({ id, status }: AskedGuest, action: PowerAction): void {
  orders.set(id, { action, at: Date.now(), statusBefore: status });
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Null when nothing was asked of the guest, or when it has changed since. */
export function useAskedPower({ id, status }: AskedGuest): AskedPower | null {
  const order = useSyncExternalStore(subscribe, () => orders.get(id));
  return order !== undefined && order.statusBefore === status ? order : null;
}
