// Maps each configuration key of a container to the right that changing it takes.
import { permissionError } from "../api.js";
import { checkBridgeAccess } from "../guests/bridges.js";
import { checkRegisteredTags } from "../guests/tags.js";
import { parsePropertyString } from "../parameters/propertyString.js";
import { propertyTable } from "../parameters/namedFormats.js";
import { methodTable } from "../parameters/schema.js";
import type { Call } from "../route.js";
import { superuser } from "../state/access.js";
import type { ConfigValues } from "../state/guest.js";
import { checkVolumeAccess } from "../storage/access.js";
import { atLeast } from "../version.js";
import { isMountPointName, mountKind, newVolumeRequest, parseMountPoint } from "./mountPoints.js";
import { attachmentOf, isInterfaceName } from "./network.js";

/** A change to a container's configuration. */
interface ContainerChange {
  vmid: number;
  pool?: string | undefined;
  /** Present values; empty for a container that is being made. */
  before: ConfigValues;
  values: ConfigValues;
  deletes: readonly string[];
  unprivileged: boolean;
}

const privilegeByKey: Readonly<Record<string, string>> = {
  cores: "VM.Config.CPU",
  cpuunits: "VM.Config.CPU",
  cpulimit: "VM.Config.CPU",
  memory: "VM.Config.Memory",
  swap: "VM.Config.Memory",
  nameserver: "VM.Config.Network",
  searchdomain: "VM.Config.Network",
  hostname: "VM.Config.Network",
};

/** @throws ApiError 403 naming the right, or what only the superuser may do */
export function checkContainerChange(call: Call, change: ContainerChange): void {
  if (call.identity.label === superuser) return;
  for (const [key, value] of Object.entries(change.values)) checkEntry(call, change, { key, value });
  for (const key of change.deletes) checkEntry(call, change, { key, value: null });
}

interface Entry {
  key: string;
  /** Null: the key is deleted. */
  value: string | null;
}

function checkEntry(call: Call, change: ContainerChange, entry: Entry): void {
  const { key } = entry;
  const target = { vmid: change.vmid, ...(change.pool === undefined ? {} : { pool: change.pool }) };
  const hold = (privilege: string): void =>
    call.platform.permissions.checkGuest(call.identity.label, target, [privilege]);
  if (isMountPointName(key)) {
    hold("VM.Config.Disk");
    if (entry.value !== null) checkMountPoint(call, change.vmid, { key, value: entry.value });
  } else if (isInterfaceName(key)) {
    hold("VM.Config.Network");
    checkBridges(call, [change.before[key], entry.value]);
  } else if (/^dev\d+$/.test(key)) throw permissionError("configuring device passthrough is only allowed for root@pam");
  else if (key === "features") checkFeatures(call, change, { entry, hold });
  else if (key === "hookscript") throw permissionError("changing the hookscript is only allowed for root@pam");
  else hold(privilegeByKey[key] ?? "VM.Config.Options");
  if (key === "tags") checkRegisteredTags(call, change.before.tags ?? "", entry.value ?? "");
}

function checkMountPoint(call: Call, vmid: number, entry: { key: string; value: string }): void {
  const mountPoint = parseMountPoint(call.platform.release, entry.key, entry.value);
  const kind = mountKind(mountPoint);
  if (kind !== "volume") throw permissionError(`mount point type ${kind} is only allowed for root@pam`);
  const request = newVolumeRequest(mountPoint);
  if (request === null) checkVolumeAccess(call, { volid: mountPoint.volume, vmid, content: "rootdir" });
  else call.platform.permissions.check(call.identity.label, `/storage/${request.storage}`, ["Datastore.AllocateSpace"]);
}

function checkBridges(call: Call, values: readonly (string | null | undefined)[]): void {
  const present = values.filter((value) => value !== null && value !== undefined);
  checkBridgeAccess(
    call,
    present.map((value) => attachmentOf(call.platform.release, value)),
  );
}

/** Only `nesting` of an unprivileged container is free to those who may allocate it. */
function checkFeatures(
  call: Call,
  change: ContainerChange,
  check: { entry: Entry; hold: (privilege: string) => void },
): void {
  if (!change.unprivileged)
    throw permissionError("changing feature flags for privileged container is only allowed for root@pam");
  const before = parseFeatures(call, change.before.features);
  const after = check.entry.value === null ? {} : parseFeatures(call, check.entry.value);
  if (!atLeast(call.platform.release, "8.4") && change.before.features === undefined && after.nesting === "0")
    throw permissionError("changing feature flags (except nesting) is only allowed for root@pam");
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => before[name] !== after[name],
  );
  if (changed.some((name) => name !== "nesting"))
    throw permissionError("changing feature flags (except nesting) is only allowed for root@pam");
  if (changed.length > 0) check.hold("VM.Allocate");
}

function parseFeatures(call: Call, value: string | undefined): Record<string, string> {
  const table = methodTable(call.platform.release, "POST /nodes/{node}/lxc")?.features?.format;
  return value === undefined ? {} : parsePropertyString(value, propertyTable(table) ?? {});
}
