// Checks the named text formats of parameters and says, in Proxmox VE's words, what is wrong.
import { isIPv4, isIPv6 } from "node:net";
import { parseSize } from "./sizes.js";

/** Null when the value is fine, else the text without its newline. */
type FormatCheck = (value: string) => string | null;

function matching(form: RegExp, complaint: string | ((value: string) => string)): FormatCheck {
  return (value) => (form.test(value) ? null : typeof complaint === "string" ? complaint : complaint(value));
}

function identifier(kind: string): FormatCheck {
  return (value) => {
    if (value.length < 2) return `${kind} ID '${value}' cannot be shorter than 2 characters`;
    return /^[a-z][a-z0-9\-_.]*[a-z0-9]$/i.test(value) ? null : `${kind} ID '${value}' contains illegal characters`;
  };
}

const ipv4: FormatCheck = (value) => (isIPv4(value) ? null : "value does not look like a valid IPv4 address");
const ipv6: FormatCheck = (value) => (isPlainIPv6(value) ? null : "value does not look like a valid IPv6 address");
const ip: FormatCheck = (value) =>
  isIPv4(value) || isPlainIPv6(value) ? null : "value does not look like a valid IP address";
const dnsName = matching(
  /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?\.)*[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?$/,
  "value does not look like a valid DNS name",
);
const configId = matching(/^[a-z][a-z0-9_-]+$/i, (value) => `invalid configuration ID '${value}'`);
const storageId = identifier("storage");
const bridgeId = matching(/^[-_.\w\d]+$/, (value) => `invalid bridge ID '${value}'`);
const volumeId = matching(/^[a-z][a-z0-9\-_.]*[a-z0-9]:.+$/i, (value) => `unable to parse volume ID '${value}'`);
const contentTypes = new Set(["images", "rootdir", "vztmpl", "iso", "backup", "snippets", "import", "none"]);

/** Formats by name; `-list` and `-opt` are added by the caller. */
export const formats: Readonly<Record<string, FormatCheck>> = {
  string: () => null,
  urlencoded: matching(/^[-%a-zA-Z0-9_.!~*'()]*$/, (value) => `invalid urlencoded string: ${value}`),
  "pve-configid": configId,
  "pve-storage-id": storageId,
  "pve-bridge-id": bridgeId,
  "pve-storage-path": (value) => (value.startsWith("/") ? null : "value does not look like a valid absolute path"),
  "pve-storage-server": (value) =>
    ip(value) === null || dnsName(value) === null ? null : "value does not look like a valid server name or IP address",
  "pve-storage-vgname": matching(
    /^[a-z0-9][a-z0-9\-_.]*[a-z0-9]$/i,
    (value) => `lvm name '${value}' contains illegal characters`,
  ),
  "pve-iface": matching(/^[a-z][a-z0-9_]{1,20}(?:[:.]\d+)?$/i, (value) => `invalid network interface name '${value}'`),
  "pve-vmid": matching(/^[1-9][0-9]{2,8}$/, "value does not look like a valid VM ID"),
  "pve-node": matching(/^[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?$/, "value does not look like a valid node name"),
  "mac-addr": matching(
    /^[a-f0-9][02468ace](?::[a-f0-9]{2}){5}$/i,
    "value does not look like a valid unicast MAC address",
  ),
  ipv4,
  ipv6,
  ip,
  CIDR: (value) => (isCidr4(value) || isCidr6(value) ? null : "value does not look like a valid CIDR network"),
  "pve-ipv4-config": (value) =>
    /^(?:dhcp|manual)$/.test(value) || isCidr4(value)
      ? null
      : "value does not look like a valid ipv4 network configuration",
  "pve-ipv6-config": (value) =>
    /^(?:auto|dhcp|manual)$/.test(value) || isCidr6(value)
      ? null
      : "value does not look like a valid ipv6 network configuration",
  "lxc-ip-with-ll-iface": (value) => {
    const scoped = /^(fe80:[^%]+)%([a-z][a-z0-9_]{1,20}(?:[:.]\d+)?)$/i.exec(value);
    return scoped !== null && isIPv6(scoped[1] ?? "") ? null : ip(value);
  },
  "dns-name": dnsName,
  address: (value) =>
    ip(value) === null || dnsName(value) === null ? null : `value does not look like a valid address: ${value}`,
  email: matching(
    /^[\w+\-~]+(?:\.[\w+\-~]+)*@[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)*$/,
    "value does not look like a valid email address",
  ),
  "disk-size": (value) => (parseSize(value) === null ? `value does not look like a valid disk size: ${value}` : null),
  "pve-startup-order": (value) =>
    value.split(",").every((part) => /^(?:\s*|(?:order=)?\d+|up=\d+|down=\d+)$/.test(part))
      ? null
      : "unable to parse startup options",
  "pve-tag": matching(/^[a-z0-9_][a-z0-9_\-+.]*$/i, "invalid characters in tag"),
  "pve-task-status-type": matching(/^(?:ok|error|warning|unknown)$/i, (value) => `invalid status '${value}'`),
  "storage-pair": pair(storageId),
  "bridge-pair": pair(bridgeId),
  "pve-cpuset": matching(/^\s*\d+(?:-\d+)?(?:\s*,\s*\d+(?:-\d+)?)*\s*$/, "unable to parse cpuset option"),
  "pve-volume-id": volumeId,
  "pve-volume-id-or-absolute-path": (value) => (value.startsWith("/") ? null : volumeId(value)),
  "pve-volume-id-or-qm-path": (value) =>
    value === "none" || value === "cdrom" || value.startsWith("/") ? null : volumeId(value),
  "pve-qm-bootdisk": matching(
    /^(?:(?:ide[0-3])|(?:sata[0-5])|(?:scsi(?:[12]?\d|30))|(?:virtio(?:\d|1[0-5])))$/,
    (value) => `invalid boot disk '${value}'`,
  ),
  "pve-qm-bootdev": matching(
    /^(?:(?:ide[0-3])|(?:sata[0-5])|(?:scsi(?:[12]?\d|30))|(?:virtio(?:\d|1[0-5]))|(?:(?:net|usb|hostpci)\d+))$/,
    (value) => `invalid boot device '${value}'`,
  ),
  "pve-qm-usb-device": matching(
    /^(?:(?:0x)?[0-9A-Fa-f]{4}:(?:0x)?[0-9A-Fa-f]{4}|\d+-\d+(?:\.\d+)*|spice)$/i,
    "unable to parse usb device",
  ),
  "pve-phys-bits": (value) =>
    value === "host" || (/^\d{1,2}$/.test(value) && Number(value) >= 8 && Number(value) <= 64)
      ? null
      : "value must be an integer between 8 and 64 or 'host'",
  "pve-hotplug-features": (value) => {
    if (value === "0" || value === "1") return null;
    const unknown = value
      .split(/[,;\s]+/)
      .find((part) => part !== "" && !/^(?:network|disk|cpu|memory|usb|cloudinit)$/.test(part));
    return unknown === undefined ? null : `invalid hotplug feature '${unknown}'`;
  },
  "pve-ct-timezone": (value) =>
    value === "host" || value === "UTC" || timeZones().has(value) ? null : `invalid time zone '${value}'`,
  "pve-lxc-mp-string": (value) =>
    /\/\.\.?\/|\/\.\.?$|^\.\.\//.test(value) ? `${value} contains illegal character sequences` : null,
  "pve-lxc-dev-string": (value) =>
    /\/\.\.?(?:\/|$)/.test(value) || !value.startsWith("/dev/") ? `${value} is not a valid device path` : null,
  "pve-userid": userId,
  "pve-realm": matching(/^[A-Za-z][A-Za-z0-9.\-_]+$/, "value does not look like a valid realm"),
  "pve-groupid": matching(/^[A-Za-z0-9.\-_]+$/, (value) => `group name '${value}' contains invalid characters`),
  "pve-roleid": matching(/^[A-Za-z0-9.\-_]+$/, (value) => `role name '${value}' contains invalid characters`),
  "pve-priv": matching(/^[A-Za-z.]+$/, (value) => `invalid privilege '${value}'`),
  "pve-poolid": (value) => {
    if (value.split("/").length > 3) return `pool name '${value}' nested too deeply (max levels = 3)`;
    return /^[A-Za-z0-9.\-_]+(?:\/[A-Za-z0-9.\-_]+){0,2}$/.test(value)
      ? null
      : `pool name '${value}' contains invalid characters`;
  },
  "pve-tokenid": matching(
    /^[^\s:/]+@[A-Za-z][A-Za-z0-9.\-_]+![A-Za-z][A-Za-z0-9.\-_]+$/,
    (value) => `value '${value}' does not look like a valid token ID`,
  ),
  "pve-storage-content": (value) => (contentTypes.has(value) ? null : `invalid content type '${value}'`),
};

function pair(side: FormatCheck): FormatCheck {
  return (value) => {
    if (value === "1") return null;
    const match = /^([^:]+):([^:]+)$/.exec(value);
    const ids = match === null ? [value] : [match[1] ?? "", match[2] ?? ""];
    const complaint = ids.map(side).find((text) => text !== null);
    return complaint === undefined ? null : `entry '${value}' contains invalid ID - ${complaint}\n\n`;
  };
}

function userId(value: string): string | null {
  if (value.length < 3) return `user name '${value}' is too short`;
  if (value.length > 64) return `user name '${value}' is too long (${value.length} > 64)`;
  return /^[^\s:/]+@[A-Za-z][A-Za-z0-9.\-_]+$/.test(value)
    ? null
    : `value '${value}' does not look like a valid user name`;
}

function isPlainIPv6(value: string): boolean {
  return isIPv6(value) && !value.includes("%");
}

function isCidr4(value: string): boolean {
  return hasPrefix(value, isIPv4, 32);
}

function isCidr6(value: string): boolean {
  return hasPrefix(value, isPlainIPv6, 128);
}

function hasPrefix(value: string, isAddress: (text: string) => boolean, most: number): boolean {
  const match = /^(.+)\/(\d+)$/.exec(value);
  if (match === null) return false;
  const prefix = Number(match[2]);
  return isAddress(match[1] ?? "") && prefix > 7 && prefix <= most;
}

let knownZones: ReadonlySet<string> | null = null;

function timeZones(): ReadonlySet<string> {
  knownZones ??= new Set(Intl.supportedValuesOf("timeZone"));
  return knownZones;
}
