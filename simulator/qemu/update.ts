// Changes a VM's configuration, at once (PUT) or in a task (POST); a running VM takes only what can be hot-plugged.
import type { ApiAnswer } from "../api.js";
import { ApiError, failure, parameterError } from "../api.js";
import { checkBridgeAccess } from "../guests/bridges.js";
import { checkDigest, checkLock, checkProtection, configTable } from "../guests/config.js";
import { checkHookscript } from "../guests/hookscript.js";
import { startGuestTask } from "../guests/guestTask.js";
import { guestOf } from "../guests/lookup.js";
import { checkSshKeys } from "../guests/sshKeys.js";
import { checkRegisteredTags, normalizeTags } from "../guests/tags.js";
import { randomUUID } from "../guests/identifiers.js";
import { splitList } from "../parameters/lists.js";
import { Parameters } from "../parameters/parameters.js";
import { propertySchema } from "../parameters/schema.js";
import type { Platform } from "../platform.js";
import type { Call } from "../route.js";
import { answer, vmidOf } from "../route.js";
import { isHeld } from "../snapshots/volumes.js";
import { superuser } from "../state/access.js";
import type { ConfigValues, Guest } from "../state/guest.js";
import { requireWritable } from "../state/quorum.js";
import { findVolume, free } from "../storage/volumes.js";
import { applyPending, hotplugPending } from "./applyPending.js";
import { storedPassword } from "./cloudInit.js";
import { createDisks } from "./createDisks.js";
import { checkDrivePermission, checkStorageAccess, normalizeDrives, resolveCdromAlias } from "./driveParameters.js";
import { bootDevices, isDriveName, isUnusedName, printBootOrder } from "./drives.js";
import { attachments, completeNetwork, isNetworkName } from "./network.js";
import { checkDevices, checkKeys } from "./permissions.js";

const notConfig = [
  "node",
  "vmid",
  "digest",
  "background_delay",
  "skip_cloud_init",
  "import-working-storage",
  "skiplock",
  "delete",
  "revert",
  "force",
];
const notLogged = new Set(["node", "vmid", "digest", "background_delay", "skip_cloud_init", "import-working-storage"]);

/** What a request wants to change. */
interface Change {
  values: ConfigValues;
  deletes: string[];
  reverts: string[];
  skipLock: boolean;
}

/** `PUT config` → null when done. */
export async function updateVm(call: Call): Promise<ApiAnswer> {
  const change = checkedChange(call);
  checkGuest(call, guestOf(call, "qemu"), change);
  await underLock(call, change, () => {});
  return answer(null);
}

/** `PUT unlink` → null when done: the same as deleting the entries. */
export function unlinkDisks(call: Call): Promise<ApiAnswer> {
  const { idlist = "", ...values } = call.parameters.values;
  return updateVm({ ...call, parameters: new Parameters({ ...values, delete: idlist }) });
}

/** `POST config` → UPID, or null when it was done within `background_delay` seconds. */
export async function updateVmInTask(call: Call): Promise<ApiAnswer> {
  const change = checkedChange(call);
  checkGuest(call, guestOf(call, "qemu"), change);
  const { tasks, clock } = call.platform;
  const upid = startGuestTask(call, {
    type: "qmconfig",
    expectedMs: 200,
    run: async (task) => {
      await task.sleep(100);
      await underLock(call, change, (line) => task.log(line));
    },
  });
  const delay = call.parameters.number("background_delay") ?? 0;
  if (delay === 0) return answer(upid);
  await Promise.race([tasks.settled(upid), clock.sleep(delay * 1000)]);
  const exitstatus = tasks.find(upid)?.exitstatus ?? null;
  if (exitstatus === null) return answer(upid);
  if (exitstatus !== "OK" && !/^WARNINGS: \d+$/.test(exitstatus))
    throw failure(`failed to update VM ${vmidOf(call)}: ${exitstatus}`);
  return answer(null);
}

/** Everything that can be refused without looking at the guest. */
function checkedChange(call: Call): Change {
  const { parameters, platform, identity } = call;
  const skipLock = parameters.flag("skiplock");
  if (skipLock && identity.label !== superuser) throw parameterError({ skiplock: "Only root may use this option." });
  const sshkeys = parameters.optional("sshkeys");
  if (sshkeys !== undefined) checkSshKeys(decodeURIComponent(sshkeys));
  const given = parameters.without(...notConfig);
  if (!parameters.optional("delete") && !parameters.optional("revert") && Object.keys(given).length === 0)
    throw failure("no options specified");
  const wanted = resolveCdromAlias(given);
  const lists = checkedLists(call, wanted);
  const values = completeValues(call, normalizeDrives(call, wanted));
  if (values.hookscript !== undefined) requireHookscript(call, values.hookscript);
  checkKeys(call, { vmid: vmidOf(call) }, [...lists.deletes, ...Object.keys(values)]);
  checkStorageAccess(call, values);
  checkBridgeAccess(call, attachments(platform.release, values));
  return { values, ...lists, skipLock };
}

/** Looked at before the caller's rights are, so a missing script is told to whoever may not set one. */
function requireHookscript(call: Call, volid: string): void {
  try {
    checkHookscript(call, volid);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw parameterError({ hookscript: `${error.message}\n` });
  }
}

function checkedLists(call: Call, wanted: ConfigValues): { deletes: string[]; reverts: string[] } {
  const { parameters, platform } = call;
  const table = configTable(platform.release, "qemu");
  const exists = (key: string): boolean => propertySchema(table, key) !== null && !notConfig.includes(key);
  const reverts = splitList(parameters.optional("revert") ?? "");
  const deletes = splitList(parameters.optional("delete") ?? "").map((key) => (key === "cdrom" ? "ide2" : key));
  for (const key of reverts) {
    if (!exists(key)) throw parameterError({ revert: `unknown option '${key}'` });
    if (wanted[key] !== undefined)
      throw parameterError({ delete: `you can't use '-${key}' and -revert ${key}' at the same time` });
  }
  for (const key of deletes) {
    if (wanted[key] !== undefined)
      throw parameterError({ delete: `you can't use '-${key}' and -delete ${key}' at the same time` });
    if (reverts.includes(key))
      throw parameterError({ revert: `you can't use '-delete ${key}' and -revert ${key}' at the same time` });
    if (!exists(key)) throw parameterError({ delete: `unknown option '${key}'` });
  }
  return { deletes, reverts };
}

function completeValues(call: Call, values: ConfigValues): ConfigValues {
  const complete = { ...values };
  for (const [key, value] of Object.entries(values)) {
    if (isNetworkName(key)) complete[key] = completeNetwork(call.platform.release, value);
    else if (key === "vmgenid" && value === "1") complete[key] = randomUUID();
    else if (key === "tags") complete[key] = normalizeTags(value);
    else if (key === "boot" && bootDevices(value).length > 0) complete[key] = printBootOrder(bootDevices(value));
  }
  return complete;
}

function checkGuest(call: Call, guest: Guest, change: Change): void {
  checkDigest(call.platform.release, guest, call.parameters.optional("digest"));
  const removesState = change.deletes.includes("vmstate");
  if (!change.skipLock) checkLock(guest, removesState ? "suspended" : undefined);
  checkBalloon(guest, change.values);
}

function checkBalloon(guest: Guest, values: ConfigValues): void {
  if (values.memory === undefined && values.balloon === undefined) return;
  const memory = values.memory ?? guest.pending.memory ?? guest.config.memory ?? "512";
  const most = Number(/\d+/.exec(memory)?.[0] ?? 512);
  const balloon = Number(values.balloon ?? guest.pending.balloon ?? guest.config.balloon ?? 0);
  if (balloon > most) throw failure("balloon value too large (must be smaller than assigned memory)");
}

async function underLock(call: Call, change: Change, log: (line: string) => void): Promise<void> {
  const guest = guestOf(call, "qemu");
  await call.platform.locks.hold(guest, async () => {
    const current = guestOf(call, "qemu");
    checkGuest(call, current, change);
    requireWritable(call.platform.state, current);
    log(`update VM ${guest.vmid}: ${loggedOptions(call)}`);
    await apply(call, current, { ...change, log });
  });
}

function loggedOptions(call: Call): string {
  return Object.entries(call.parameters.values)
    .filter(([key]) => !notLogged.has(key))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `-${key} ${key === "cipassword" ? "<hidden>" : value}`)
    .join(" ");
}

async function apply(call: Call, guest: Guest, change: Change & { log: (line: string) => void }): Promise<void> {
  const { platform } = call;
  const modified = new Set([...change.deletes, ...Object.keys(change.values)]);
  for (const key of change.reverts) revert(guest, key);
  for (const key of change.deletes) noteDelete(call, guest, { key, log: change.log });
  for (const [key, value] of Object.entries(change.values)) noteValue(call, guest, { key, value, log: change.log });
  if (modified.has("boot")) checkBootOrder(guest);
  dropUnchanged(guest);
  if (guest.runtime === null) applyPending(platform, guest);
  else await plug(platform, guest, modified);
}

/** What cannot be plugged goes on waiting, and the caller is told. */
async function plug(platform: Platform, guest: Guest, modified: ReadonlySet<string>): Promise<void> {
  const problems = await hotplugPending(platform, guest, modified);
  if (Object.keys(problems).length > 0) throw parameterError(problems);
}

function revert(guest: Guest, key: string): void {
  delete guest.pending[key];
  guest.pendingDeletes.delete(key);
}

function noteDelete(call: Call, guest: Guest, change: { key: string; log: (line: string) => void }): void {
  const { key } = change;
  const subject = { vmid: guest.vmid };
  const value = guest.config[key] ?? guest.pending[key];
  if (value === undefined) return change.log(`cannot delete '${key}' - not set in current configuration!`);
  delete guest.pending[key];
  if (isDriveName(key)) {
    checkProtection(guest, `can't remove drive '${key}'`);
    checkDrivePermission(call, key, value);
    dropFromBootOrder(guest, key);
  } else if (isUnusedName(key)) return removeUnused(call, guest, { key, value });
  else if (key === "tags") checkTags(call, guest, "");
  else checkDevices(call, subject, { [key]: value }, "delete");
  if (guest.config[key] !== undefined) guest.pendingDeletes.add(key);
}

function checkTags(call: Call, guest: Guest, tags: string): void {
  call.platform.permissions.checkGuest(call.identity.label, { vmid: guest.vmid }, ["VM.Config.Options"]);
  checkRegisteredTags(call, guest.config.tags ?? "", tags);
}

function removeUnused(call: Call, guest: Guest, entry: { key: string; value: string }): void {
  checkProtection(guest, `can't remove unused disk '${entry.value}'`);
  call.platform.permissions.checkGuest(call.identity.label, { vmid: guest.vmid }, ["VM.Config.Disk"]);
  const volume = findVolume(call.platform, entry.value.split(",")[0] ?? "", guest.node);
  if (volume !== null && isHeld(guest.snapshots, volume))
    throw failure(`unable to delete '${entry.value}' - volume is still in use (snapshot?)`);
  if (volume !== null) free(call.platform, volume, () => {});
  delete guest.config[entry.key];
}

function dropFromBootOrder(guest: Guest, key: string): void {
  const devices = bootDevices(guest.config.boot);
  if (devices.includes(key)) guest.pending.boot = printBootOrder(devices.filter((device) => device !== key)) || " ";
}

function noteValue(
  call: Call,
  guest: Guest,
  change: { key: string; value: string; log: (line: string) => void },
): void {
  const { key, value } = change;
  const subject = { vmid: guest.vmid };
  guest.pendingDeletes.delete(key);
  if (isDriveName(key)) return noteDrive(call, guest, change);
  if (/^serial\d+$/.test(key)) checkDevices(call, subject, { [key]: value }, "modify");
  else if (key === "tags") checkTags(call, guest, value);
  else checkDevices(call, subject, { [key]: value });
  if (key === "cipassword") guest.config.cipassword = storedPassword(guest.config.ostype, value);
  else guest.pending[key] = value;
}

function noteDrive(
  call: Call,
  guest: Guest,
  change: { key: string; value: string; log: (line: string) => void },
): void {
  const { key, value, log } = change;
  const before = guest.config[key];
  if (before !== undefined) checkDrivePermission(call, key, before);
  checkDrivePermission(call, key, value);
  const { platform } = call;
  const context = { platform, node: guest.node, vmid: guest.vmid, config: { ...guest.config, ...guest.pending }, log };
  const made = createDisks(context, { [key]: value })[key] ?? value;
  guest.pending[key] = made;
  const devices = bootDevices(guest.pending.boot ?? guest.config.boot);
  if (devices.length > 0 && made.includes("media=cdrom") && !/cloudinit/.test(made) && !devices.includes(key))
    guest.pending.boot = printBootOrder([...devices, key]);
}

/** An order of devices takes the place of the older settings. */
function checkBootOrder(guest: Guest): void {
  const devices = bootDevices(guest.pending.boot);
  if (devices.length > 0 && guest.config.bootdisk !== undefined) guest.pendingDeletes.add("bootdisk");
  for (const device of devices) {
    const exists = guest.config[device] !== undefined || guest.pending[device] !== undefined;
    if (!exists || guest.pendingDeletes.has(device))
      throw failure(`invalid bootorder: device '${device}' does not exist'`);
  }
}

/** A pending value equal to the one in force is no change. */
function dropUnchanged(guest: Guest): void {
  for (const [key, value] of Object.entries(guest.pending)) if (guest.config[key] === value) delete guest.pending[key];
  for (const key of guest.pendingDeletes) if (guest.config[key] === undefined) guest.pendingDeletes.delete(key);
}
