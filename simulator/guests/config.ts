// Shows a guest's configuration the way the API does: typed values, pending changes, digest.
import { failure } from "../api.js";
import type { PropertyTable } from "../parameters/propertyTable.js";
import { methodTable, propertySchema } from "../parameters/schema.js";
import { shownColumns } from "../snapshots/list.js";
import type { ConfigValues, Guest, GuestType } from "../state/guest.js";
import type { Release } from "../version.js";
import { atLeast } from "../version.js";
import { digestOf } from "./digest.js";

type Shown = Record<string, unknown>;

/** What a configuration of this type may hold. */
export function configTable(release: Release, type: GuestType): PropertyTable {
  return methodTable(release, `PUT /nodes/{node}/${type}/{vmid}/config`) ?? {};
}

/** Values as JSON shows them: integers and booleans are numbers, everything else is text. */
export function typedValue(table: PropertyTable, key: string, value: string): string | number {
  const type = propertySchema(table, key)?.type;
  return type === "integer" || type === "boolean" ? Number(value) : value;
}

function typed(table: PropertyTable, config: ConfigValues): Shown {
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [key, typedValue(table, key, value)]));
}

/** Configuration with pending changes merged in, or the one in force. */
function effectiveConfig(guest: Guest, inForce: boolean): ConfigValues {
  if (inForce) return { ...guest.config };
  const merged = { ...guest.config, ...guest.pending };
  for (const key of guest.pendingDeletes) delete merged[key];
  return merged;
}

/** What `GET config` answers. */
export function shownConfig(release: Release, guest: Guest, inForce: boolean): Shown {
  const shown = typed(configTable(release, guest.type), masked(effectiveConfig(guest, inForce)));
  const raw = guest.rawLines.length === 0 ? {} : { lxc: guest.rawLines };
  return { ...shown, ...raw, digest: digestOf(guest) };
}

/** What `GET config?snapshot=` answers. */
export function shownSnapshot(release: Release, guest: Guest, name: string): Shown {
  const snapshot = guest.snapshots.get(name);
  if (snapshot === undefined) throw failure(`snapshot '${name}' does not exist`);
  const shown = typed(configTable(release, guest.type), masked(snapshot.config));
  return { ...shown, ...shownColumns(snapshot), digest: digestOf(guest) };
}

/** What `GET pending` answers: one row a key, with the value in force and what waits. */
export function pendingRows(release: Release, guest: Guest): Shown[] {
  const table = configTable(release, guest.type);
  const config = masked(guest.config);
  const pending = masked(guest.pending);
  const rows = Object.entries(config).map(([key, value]) => ({
    key,
    value: typedValue(table, key, value),
    ...waiting(table, key, pending[key]),
    ...(guest.pendingDeletes.has(key) ? { delete: 1 } : {}),
  }));
  const added = Object.entries(pending).filter(([key]) => config[key] === undefined);
  return [
    ...rows,
    { key: "digest", value: digestOf(guest) },
    ...added.map(([key, value]) => ({ key, ...waiting(table, key, value) })),
  ];
}

function waiting(table: PropertyTable, key: string, value: string | undefined): Shown {
  return value === undefined ? {} : { pending: typedValue(table, key, value) };
}

function masked(config: ConfigValues): ConfigValues {
  return config.cipassword === undefined ? config : { ...config, cipassword: "**********" };
}

/** @throws ApiError 500 when a lock is set, unless it is the one allowed */
export function checkLock(guest: Guest, allowed?: string): void {
  const { lock } = guest.config;
  if (lock !== undefined && lock !== allowed)
    throw failure(`${guest.type === "lxc" ? "CT" : "VM"} is locked (${lock})`);
}

/** @throws ApiError 500 when the digest that the caller saw is no longer the present one */
export function checkDigest(release: Release, guest: Guest, digest: string | undefined): void {
  const word = atLeast(release, "8.4") ? "mismatch" : "missmatch";
  if (digest !== undefined && digest !== digestOf(guest))
    throw failure(`checksum ${word} (file change by other user?)`);
}

/** @throws ApiError 500 when the guest is protected */
export function checkProtection(guest: Guest, what: string): void {
  if (guest.config.protection === "1") throw failure(`${what} - protection mode enabled`);
}
