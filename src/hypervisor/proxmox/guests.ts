// Reads and changes one guest that exists: configuration, state, disk size, removal.
import { z } from "zod";
import { GuestStatus, GuestType } from "../../core/enums.js";
import { GIB, MIB } from "../../core/units.js";
import { Handover, type GuestAddress, type GuestState, type Removal } from "../guest.js";
import type { GuestConfig } from "../guestConfig.js";
import type { ConfigChange } from "./config/configChange.js";
import type { Upid } from "../task.js";
import type { Ask } from "./client.js";
import { describeConfig } from "./config/describeConfig.js";
import { figureIn } from "./figures.js";
import { record, records, storable, text, textIn, textOrNull, understand } from "./parse.js";
import { apiPath, type ApiParameters } from "./path.js";
import { upidOrNull, upid } from "./upid.js";

const rawLines = z.array(z.tuple([text, textOrNull]).rest(z.unknown()));
const statusAnswer = z.object({ status: text, qmpstatus: textOrNull, lock: textOrNull, "running-machine": textOrNull });

export const guestPath = ({ type, node, vmid }: GuestAddress): string => apiPath`/nodes/${node}/${type}/${vmid}`;

/** A pool that the connection may not see is none to it. An evacuation looks for each of thousands of guests in the same list. */
export async function readPool(ask: Ask, { vmid }: GuestAddress): Promise<string | null> {
  const { data, source } = await ask({ method: "GET", path: "/cluster/resources", parameters: { type: "vm" } });
  return textIn(records(data, source).find((row) => figureIn(row["vmid"], "vmid") === vmid)?.["pool"]);
}

/**
 * Every value is a text (booleans `1` and `0`, `sshkeys` decoded); raw container lines are joined under `lxc` as `key: value`, a line
 * each. Without `current=1` the platform mixes pending changes in.
 */
export async function readConfig(ask: Ask, guest: GuestAddress, view: "current" | "pending"): Promise<GuestConfig> {
  const path = `${guestPath(guest)}/config`;
  const parameters = view === "current" ? { current: true } : {};
  const { data, source } = await ask({ method: "GET", path, parameters });
  const { digest, ...given } = record(data, source);
  const values: Record<string, string> = {};
  for (const [key, value] of Object.entries(given)) {
    const plain = configText(key, value);
    if (plain !== null) values[key] = plain;
  }
  return describeConfig(guest, values, textIn(digest) ?? "");
}

function configText(key: string, value: unknown): string | null {
  if (typeof value === "string") return storable(key === "sshkeys" ? decodeKeys(value) : value);
  if (typeof value === "number") return String(value);
  if (typeof value === "boolean") return value ? "1" : "0";
  if (value === null || value === undefined) return null;
  const lines = key === "lxc" ? rawLines.safeParse(value) : undefined;
  return lines?.success ? lines.data.map(([name, line]) => `${name}: ${line ?? ""}`).join("\n") : JSON.stringify(value);
}

/** `running`, `stopped` and what QEMU says beside; a hibernated VM is stopped with a lock. */
export async function readStatus(ask: Ask, guest: GuestAddress): Promise<GuestState> {
  const { data, source } = await ask({ method: "GET", path: `${guestPath(guest)}/status/current` });
  const { status, qmpstatus, lock, "running-machine": machine } = understand(statusAnswer, data, source);
  const handover = HANDOVERS[qmpstatus ?? ""] ?? null;
  return { status: guestStatus(status, { qmpstatus, lock }), lock, handover, machine };
}

const HANDOVERS: Readonly<Record<string, Handover>> = {
  inmigrate: Handover.AWAITED,
  "finish-migrate": Handover.GIVEN,
  postmigrate: Handover.GIVEN,
};

export function guestStatus(
  status: string,
  { qmpstatus, lock }: { qmpstatus: string | null; lock: string | null },
): GuestStatus {
  if (lock === "suspended" || qmpstatus === "suspended") return GuestStatus.SUSPENDED;
  if (status === "running") return qmpstatus === "paused" ? GuestStatus.PAUSED : GuestStatus.RUNNING;
  if (status === "paused") return GuestStatus.PAUSED;
  return status === "stopped" ? GuestStatus.STOPPED : GuestStatus.UNKNOWN;
}

/** A VM's change is a task, so that a slow storage cannot time it out; a container's is done at once. */
export async function configure(ask: Ask, guest: GuestAddress, change: ConfigChange): Promise<Upid | null> {
  const parameters = changeParameters(guest.type, change);
  if (Object.keys(parameters).length === 0) return null;
  const path = `${guestPath(guest)}/config`;
  const method = guest.type === GuestType.QEMU ? "POST" : "PUT";
  const { data } = await ask({ method, path, parameters: { ...parameters, digest: change.digest || undefined } });
  return upidOrNull(data, path);
}

/** The platform refuses a change of nothing, so an empty one has no parameters. */
function changeParameters(type: GuestType, { set = {}, remove = [] }: ConfigChange): ApiParameters {
  const { sshkeys, ...others } = set;
  const encodesKeys = type === GuestType.QEMU && sshkeys !== undefined;
  return {
    ...(encodesKeys ? { ...others, sshkeys: encodeKeys(String(sshkeys)) } : set),
    ...(remove.length > 0 ? { delete: remove.join(",") } : {}),
  };
}

/** The value itself is percent-encoded, before the form is (`[-%a-zA-Z0-9_.!~*'()]*`). */
const encodeKeys = (keys: string): string => encodeURIComponent(keys.trim());

function decodeKeys(keys: string): string {
  try {
    return decodeURIComponent(keys);
  } catch (error) {
    if (error instanceof URIError) return keys;
    throw error;
  }
}

/** 7.x resizes at once, later versions in a task. A container that has the size already says so with an error. */
export async function resize(
  ask: Ask,
  guest: GuestAddress,
  { disk, sizeBytes }: { disk: string; sizeBytes: number },
): Promise<Upid | null> {
  const path = `${guestPath(guest)}/resize`;
  try {
    const { data } = await ask({ method: "PUT", path, parameters: { disk, size: sizeText(sizeBytes) } });
    return upidOrNull(data, path);
  } catch (error) {
    if (error instanceof Error && /already at specified size/i.test(error.message)) return null;
    throw error;
  }
}

/** In the largest binary unit that loses nothing; never less than asked for. */
export function sizeText(bytes: number): string {
  if (bytes % GIB === 0) return `${bytes / GIB}G`;
  return bytes % MIB === 0 ? `${bytes / MIB}M` : `${Math.ceil(bytes / 1024)}K`;
}

/**
 * Removes a stopped guest, its disks (unused ones too) and, unless it is replaced, its entries in backup, replication and HA.
 * Volumes that merely bear its VMID stay, unless said otherwise: on a storage that two hosts share they may be another guest's.
 */
export async function destroy(
  ask: Ask,
  guest: GuestAddress,
  { isReplaced = false, withUnreferenced = false }: Removal = {},
): Promise<Upid> {
  const path = guestPath(guest);
  const parameters = { purge: !isReplaced, "destroy-unreferenced-disks": withUnreferenced };
  const { data } = await ask({ method: "DELETE", path, parameters });
  return upid(data, path);
}
