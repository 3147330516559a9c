// Maps each configuration key of a VM to the privilege that changing it takes.
import { failure, parameterError } from "../api.js";
import { parsePropertyString } from "../parameters/propertyString.js";
import { propertyTable } from "../parameters/namedFormats.js";
import { methodTable, propertySchema } from "../parameters/schema.js";
import type { Call } from "../route.js";
import { superuser } from "../state/access.js";
import type { ConfigValues } from "../state/guest.js";
import { atLeast } from "../version.js";
import { isDriveName } from "./drives.js";

/** The guest whose keys change; a new guest may get its rights from the pool it is made in. */
interface Subject {
  vmid: number;
  pool?: string;
}

const keysByPrivilege: Readonly<Record<string, readonly string[]>> = {
  "VM.Config.CPU": ["cores", "cpu", "runningcpu", "cpulimit", "cpuunits", "numa", "smp", "sockets", "vcpus"],
  "VM.Config.Memory": ["memory", "balloon", "shares", "allow-ksm"],
  "VM.Config.HWType": "acpi hotplug kvm machine runningmachine scsihw smbios1 tablet vga watchdog audio0 rng0".split(
    " ",
  ),
  "VM.Config.Options":
    "agent autostart bios description keyboard localtime migrate_downtime migrate_speed name onboot ostype protection reboot startdate startup tdf template".split(
      " ",
    ),
  "VM.PowerMgmt": ["freeze"],
  "VM.Config.Disk": ["boot", "bootdisk", "vmstatestorage"],
};
const privilegeByKey = new Map(
  Object.entries(keysByPrivilege).flatMap(([privilege, keys]) => keys.map((key) => [key, privilege] as const)),
);
const cloudInitKeys = new Set("cicustom cipassword citype ciuser ciupgrade nameserver searchdomain sshkeys".split(" "));

export function isCloudInitKey(key: string): boolean {
  return cloudInitKeys.has(key) || /^ipconfig\d+$/.test(key);
}

/**
 * Checks the keys whose privilege does not depend on their value; drives, devices and tags are checked elsewhere.
 * @throws ApiError 403, or 500 for keys that only the superuser may set
 */
export function checkKeys(call: Call, subject: Subject, keys: readonly string[]): void {
  if (call.identity.label === superuser) return;
  for (const key of keys) if (!isCheckedByValue(key)) checkKey(call, subject, key);
}

function isCheckedByValue(key: string): boolean {
  return (
    isDriveName(key) || key === "cdrom" || key === "tags" || /^(?:unused|serial|usb|hostpci|virtiofs)\d+$/.test(key)
  );
}

function checkKey(call: Call, subject: Subject, key: string): void {
  const { permissions, release } = call.platform;
  const { label } = call.identity;
  const modern = atLeast(release, "8.4");
  if (!modern && key === "rng0") throw onlyRoot(key);
  const privilege = /^numa\d+$/.test(key) ? "VM.Config.CPU" : privilegeByKey.get(key);
  if (privilege !== undefined) {
    permissions.checkGuest(label, subject, [privilege]);
    if (key === "startup") permissions.check(label, "/", ["Sys.Modify"]);
  } else if (/^net\d+$/.test(key) || (!modern && /^ipconfig\d+$/.test(key)))
    permissions.checkGuest(label, subject, ["VM.Config.Network"]);
  else if (isCloudInitKey(key)) permissions.checkGuestAny(label, subject, ["VM.Config.Cloudinit", "VM.Config.Network"]);
  else if (key === "vmstate") permissions.checkGuest(label, subject, ["VM.Config.Disk", "VM.PowerMgmt"]);
  else throw onlyRoot(key);
}

function onlyRoot(key: string): Error {
  return failure(`only root can set '${key}' config`);
}

/** What is done to a device entry; the words of the refusal differ. */
type DeviceVerb = "set" | "modify" | "delete";

/**
 * Checks serial ports, USB, PCI and shared directories, whose right depends on their value.
 * @throws ApiError 403, or 500 for real devices
 */
export function checkDevices(call: Call, subject: Subject, config: ConfigValues, verb: DeviceVerb = "set"): void {
  if (call.identity.label === superuser) return;
  for (const [key, value] of Object.entries(config)) {
    if (/^serial\d+$/.test(key)) checkSerial(call, subject, { key, value, verb });
    else if (/^usb\d+$/.test(key)) checkUsb(call, subject, { key, value });
    else if (/^hostpci\d+$/.test(key)) checkPci(call, subject, { key, value });
    else if (/^virtiofs\d+$/.test(key)) checkDirectory(call, subject, { key, value });
    else if (key === "rng0") checkRandomSource(call, subject, { key, value });
  }
}

interface Entry {
  key: string;
  value: string;
}

function checkSerial(call: Call, subject: Subject, entry: Entry & { verb: DeviceVerb }): void {
  if (entry.value !== "socket") throw failure(`only root can ${entry.verb} '${entry.key}' config for real devices`);
  call.platform.permissions.checkGuest(call.identity.label, subject, ["VM.Config.HWType"]);
}

function checkUsb(call: Call, subject: Subject, entry: Entry): void {
  const { permissions } = call.platform;
  permissions.checkGuest(call.identity.label, subject, ["VM.Config.HWType"]);
  const { host, mapping } = properties(call, entry);
  if (host !== undefined) {
    if (!/^spice$/i.test(host)) throw failure(`only root can set '${entry.key}' config for real devices`);
  } else checkMapping(call, "usb", mapping);
}

function checkPci(call: Call, subject: Subject, entry: Entry): void {
  const { host, mapping, romfile } = properties(call, entry);
  if (host !== undefined)
    throw failure(
      atLeast(call.platform.release, "8.4")
        ? `only root can set '${entry.key}' config for non-mapped devices`
        : `only root can set '${entry.key}' config`,
    );
  checkMapping(call, "pci", mapping);
  call.platform.permissions.checkGuest(call.identity.label, subject, ["VM.Config.HWType"]);
  if (romfile !== undefined) throw parameterError({ [entry.key]: "only root@pam can set 'romfile' option" });
}

function checkDirectory(call: Call, subject: Subject, entry: Entry): void {
  call.platform.permissions.checkGuest(call.identity.label, subject, ["VM.Config.Disk"]);
  checkMapping(call, "dir", properties(call, entry).dirid);
}

function checkRandomSource(call: Call, subject: Subject, entry: Entry): void {
  const { permissions, release } = call.platform;
  const device = properties(call, entry).source === "/dev/hwrng";
  if (!atLeast(release, "8.4")) return;
  permissions.checkGuest(call.identity.label, subject, ["VM.Config.HWType"]);
  if (device) permissions.check(call.identity.label, "/mapping/hwrng", ["Mapping.Use"]);
}

function checkMapping(call: Call, kind: string, mapping: string | undefined): void {
  if (mapping === undefined) throw failure("either 'host' or 'mapping' must be set.");
  call.platform.permissions.check(call.identity.label, `/mapping/${kind}/${mapping}`, ["Mapping.Use"]);
}

function properties(call: Call, entry: Entry): Record<string, string> {
  const table = methodTable(call.platform.release, "POST /nodes/{node}/qemu") ?? {};
  return parsePropertyString(entry.value, propertyTable(propertySchema(table, entry.key)?.format) ?? {});
}
