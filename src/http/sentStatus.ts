// Decides which status of a response counts: that of its handler, or that of a refusal which was sent in its place.
import type { ServerResponse } from "node:http";

const refused = new WeakMap<ServerResponse, number>();
const answered = new WeakSet<ServerResponse>();

/**
 * Has the refusal count, whatever the handler goes on to do with the response.
 * @returns false: the handler's own answer is logged already, or its head is sent
 */
export function refuseInstead(response: ServerResponse, status: number): boolean {
  if (answered.has(response) || response.headersSent) return false;
  refused.set(response, status);
  return true;
}

/**
 * From now on the handler's answer counts and is not to be replaced, unless a refusal was sent before it.
 * @returns the status that counts
 */
export function settleStatus(response: ServerResponse, status: number): number {
  answered.add(response);
  return refused.get(response) ?? status;
}

/** Whether a refusal was sent in place of the handler's answer. */
export const wasRefused = (response: ServerResponse): boolean => refused.has(response);
