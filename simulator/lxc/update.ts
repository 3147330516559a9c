// Changes a container's configuration; a running one takes at once only what can be hot-plugged.
import type { ApiAnswer } from "../api.js";
import { failure, parameterError } from "../api.js";
import { checkLock, checkProtection, configTable } from "../guests/config.js";
import { digestOf } from "../guests/digest.js";
import { checkHookscript } from "../guests/hookscript.js";
import { guestOf } from "../guests/lookup.js";
import { splitList } from "../parameters/lists.js";
import { propertySchema } from "../parameters/schema.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { ConfigValues, Guest } from "../state/guest.js";
import { storageNamed } from "../storage/storages.js";
import { applyContainerPending, hotplugContainer } from "./applyPending.js";
import { isMountPointName, mountKind, parseMountPoint } from "./mountPoints.js";
import { checkContainerChange } from "./permissions.js";
import { completeContainerValues } from "./values.js";
import { requireWritable } from "../state/quorum.js";

const notConfig = ["node", "vmid", "digest", "delete", "revert"];

interface Change {
  values: ConfigValues;
  deletes: string[];
  reverts: string[];
}

/** `PUT config` → null. */
export async function updateContainer(call: Call): Promise<ApiAnswer> {
  const { parameters, platform } = call;
  if (Object.keys(parameters.without("node", "vmid", "digest")).length === 0) throw failure("no options specified");
  const change: Change = {
    values: parameters.without(...notConfig),
    deletes: splitList(parameters.optional("delete") ?? ""),
    reverts: splitList(parameters.optional("revert") ?? ""),
  };
  await platform.locks.hold({ type: "lxc", vmid: guestOf(call, "lxc").vmid }, () => apply(call, change));
  return answer(null);
}

function apply(call: Call, change: Change): void {
  const { platform, parameters } = call;
  const guest = guestOf(call, "lxc");
  checkLock(guest);
  const digest = parameters.optional("digest");
  if (digest !== undefined && digest !== digestOf(guest))
    throw failure("detected modified configuration - file changed by other user? Try again.");
  checkRights(call, guest, { values: {}, deletes: [...change.deletes, ...change.reverts] });
  checkLists(call, change);
  checkRights(call, guest, { values: change.values, deletes: [] });
  checkEntries(call, guest, change);
  requireWritable(platform.state, guest);
  note(call, guest, change);
  const modified = new Set([...change.deletes, ...Object.keys(change.values)]);
  if (guest.runtime === null) applyContainerPending(platform, guest);
  else hotplugContainer(platform, guest, modified);
}

function checkRights(call: Call, guest: Guest, part: { values: ConfigValues; deletes: string[] }): void {
  const unprivileged = guest.config.unprivileged === "1";
  checkContainerChange(call, { vmid: guest.vmid, before: guest.config, ...part, unprivileged });
}

function checkLists(call: Call, change: Change): void {
  const table = configTable(call.platform.release, "lxc");
  const exists = (key: string): boolean => propertySchema(table, key) !== null && !notConfig.includes(key);
  for (const key of change.reverts) {
    if (!exists(key)) throw parameterError({ revert: `unknown option '${key}'` });
    if (change.values[key] !== undefined)
      throw parameterError({ revert: `you can't use '-${key}' and '-revert ${key}' at the same time` });
  }
  for (const key of change.deletes) {
    if (!exists(key)) throw parameterError({ delete: `unknown option '${key}'` });
    if (change.values[key] !== undefined)
      throw parameterError({ delete: `you can't use '-${key}' and -delete ${key}' at the same time` });
    if (change.reverts.includes(key))
      throw parameterError({ delete: `you can't use '-delete ${key}' and '-revert ${key}' at the same time` });
  }
}

function checkEntries(call: Call, guest: Guest, change: Change): void {
  for (const key of change.deletes) {
    // What is not set cannot be deleted; that is but a warning in the node's log.
    if (guest.config[key] === undefined && guest.pending[key] === undefined) continue;
    if (["memory", "rootfs", "ostype"].includes(key)) throw failure(`unable to delete required option '${key}'`);
    if (key === "unprivileged") throw failure(`unable to delete read-only option: '${key}'`);
    if (/^(?:unused|mp)\d+$/.test(key)) checkProtection(guest, `can't remove CT ${guest.vmid} drive '${key}'`);
  }
  for (const [key, value] of Object.entries(change.values)) {
    if (key === "unprivileged") throw failure(`unable to modify read-only option: '${key}'`);
    if (key === "hookscript") checkHookscript(call, value);
    if (isMountPointName(key)) checkMountPoint(call, guest, { key, value });
  }
}

function checkMountPoint(call: Call, guest: Guest, entry: { key: string; value: string }): void {
  checkProtection(guest, `can't update CT ${guest.vmid} drive '${entry.key}'`);
  const mountPoint = parseMountPoint(call.platform.release, entry.key, entry.value);
  if (mountKind(mountPoint) !== "volume") return;
  const name = mountPoint.volume.split(":")[0] ?? "";
  if (!storageNamed(call.platform.state, name).content.includes("rootdir"))
    throw failure(`storage '${name}' does not allow content type 'rootdir' (Container)`);
}

function note(call: Call, guest: Guest, change: Change): void {
  for (const key of change.reverts) {
    delete guest.pending[key];
    guest.pendingDeletes.delete(key);
  }
  for (const key of change.deletes) {
    delete guest.pending[key];
    if (guest.config[key] !== undefined) guest.pendingDeletes.add(key);
  }
  const values = completeContainerValues(call.platform.release, change.values);
  for (const [key, value] of Object.entries(values)) {
    guest.pendingDeletes.delete(key);
    if (guest.config[key] === value) delete guest.pending[key];
    else guest.pending[key] = value;
  }
}
