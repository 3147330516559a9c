// Narrows values that came from outside (configuration, service, files) before anything relies on their shape.
import { isIP } from "node:net";

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Whether the value is an integer from `lowest` to `highest`, both included. */
export function isIntegerBetween(value: unknown, lowest: number, highest: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= lowest && value <= highest;
}

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/i;

/** An IPv4 or IPv6 address, or a DNS name (RFC 1123, underscores allowed). */
export function isHost(value: unknown): value is string {
  return typeof value === "string" && (isIP(value) !== 0 || HOST_NAME.test(value));
}

/** What was thrown, in one readable line. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
