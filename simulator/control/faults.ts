// Keeps ordered faults and decides which request meets one.
import type { Interference } from "../transport/interference.js";

/** A fault as it was ordered. */
interface FaultOrder extends Interference {
  /** Left out: any. */
  method?: string | undefined;
  /** Tested against the method path, and against the path as it was sent. */
  path?: RegExp | undefined;
  /** How many requests it still meets. */
  times: number;
}

/** The faults of one host; the oldest that matches is met. */
export class FaultBoard {
  readonly #orders = new Map<string, FaultOrder>();
  #count = 0;

  /** @returns the id to remove it by */
  add(order: FaultOrder): string {
    this.#count += 1;
    const id = String(this.#count);
    this.#orders.set(id, { ...order });
    return id;
  }

  /** @returns false when there is no such fault (any more) */
  remove(id: string): boolean {
    return this.#orders.delete(id);
  }

  clear(): void {
    this.#orders.clear();
  }

  /** The fault that this request meets, which is thereby used up once. */
  meet(method: string, paths: readonly string[]): Interference | null {
    for (const [id, order] of this.#orders) {
      if (!isMatch(order, method, paths)) continue;
      order.times -= 1;
      if (order.times <= 0) this.#orders.delete(id);
      return order;
    }
    return null;
  }
}

function isMatch({ method, path }: FaultOrder, requestMethod: string, paths: readonly string[]): boolean {
  if (method !== undefined && method !== requestMethod) return false;
  return path === undefined || paths.some((text) => path.test(text));
}
