// Reads task ids, `UPID:<node>:<pid>:<pstart>:<start>:<type>:<id>:<user>:`, which name the node to ask about the task.
import type { Upid } from "../task.js";
import { PlatformReason, platformError } from "../platformError.js";

/** As the platform itself reads them (`PVE::UPID`), with numbers of any length: they grow with the host's age. */
const UPID =
  /^UPID:([a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?):[0-9A-Fa-f]+:[0-9A-Fa-f]+:([0-9A-Fa-f]{8}):([^:\s/]+):([^:\s/]*):([^:\s/]+):$/;

/** @throws DroverError PLATFORM_UNCERTAIN when the change that was accepted did not return a task id */
export function upid(data: unknown, source: string): Upid {
  if (typeof data === "string" && UPID.test(data)) return data;
  throw platformError(
    PlatformReason.UNCERTAIN,
    `${source} was accepted without a task id: what it does cannot be followed`,
  );
}

/** Null for a change that was done at once. @throws DroverError as `upid` */
export const upidOrNull = (data: unknown, source: string): Upid | null =>
  data === null || data === undefined ? null : upid(data, source);

/** What a task's id says of it. */
interface UpidParts {
  readonly node: string;
  readonly startedAt: Date;
  readonly type: string;
  /** What the task works on, a VMID as a rule; null when its id names nothing. */
  readonly target: string | null;
  /** With the token's name: `root@pam!panel`. */
  readonly user: string;
}

/** @returns null for a text that is no task id */
export function readUpid(text: Upid): UpidParts | null {
  const [, node, seconds, type, target, user] = UPID.exec(text) ?? [];
  if (node === undefined || seconds === undefined || type === undefined || user === undefined) return null;
  return { node, startedAt: new Date(Number.parseInt(seconds, 16) * 1000), type, target: target || null, user };
}

/** @throws DroverError PLATFORM_NOT_FOUND for a text that is no task id */
export function upidParts(text: Upid): UpidParts {
  const parts = readUpid(text);
  if (parts === null) throw platformError(PlatformReason.NOT_FOUND, "No such task: this is no task id");
  return parts;
}
