// Gives the keys of those property strings that the parameter tables know by name only.
import type { PropertyTable } from "./propertyTable.js";
import type { PropertySchema } from "./propertyTable.js";
import { methodTable } from "./schema.js";

const text = { type: "string", optional: 1 };
const flag = { type: "boolean", optional: 1 };
const base64 = { ...text, pattern: "[A-Za-z0-9+\\/]+={0,2}" };
const volume = { ...text, format: "pve-volume-id" };
const hexId = { ...text, pattern: "^0x[0-9a-fA-F]{4}$" };
const pciAddress = "(?:[a-f0-9]{4,}:)?[a-f0-9]{2}:[a-f0-9]{2}(?:\\.[a-f0-9])?";

const namedFormats: Readonly<Record<string, PropertyTable>> = {
  "pve-qm-boot": {
    legacy: { ...text, default_key: 1, pattern: "[acdn]{1,4}" },
    order: { ...text, format: "pve-qm-bootdev-list" },
  },
  "pve-qm-cicustom": { meta: volume, network: volume, user: volume, vendor: volume },
  "pve-qm-ipconfig": {
    ip: { ...text, format: "pve-ipv4-config" },
    gw: { ...text, format: "ipv4", requires: "ip" },
    ip6: { ...text, format: "pve-ipv6-config" },
    gw6: { ...text, format: "ipv6", requires: "ip6" },
  },
  "pve-qm-hostpci": {
    host: { ...text, default_key: 1, pattern: `${pciAddress}(;${pciAddress})*` },
    mapping: { ...text, format: "pve-configid" },
    rombar: flag,
    romfile: { ...text, pattern: "[^,;]+" },
    pcie: flag,
    "x-vga": flag,
    "legacy-igd": flag,
    mdev: { ...text, pattern: "[^/\\.:]+" },
    "vendor-id": hexId,
    "device-id": hexId,
    "sub-vendor-id": hexId,
    "sub-device-id": hexId,
    driver: { ...text, enum: ["vfio", "keep"] },
  },
  "pve-qm-rng": {
    source: { type: "string", enum: ["/dev/urandom", "/dev/random", "/dev/hwrng"], default_key: 1 },
    max_bytes: { type: "integer", optional: 1 },
    period: { type: "integer", optional: 1 },
  },
  "pve-qm-smbios1": {
    uuid: { ...text, pattern: "[a-fA-F0-9]{8}(?:-[a-fA-F0-9]{4}){3}-[a-fA-F0-9]{12}" },
    version: base64,
    serial: base64,
    manufacturer: base64,
    product: base64,
    sku: base64,
    family: base64,
    base64: flag,
  },
  "pve-qm-watchdog": {
    model: { ...text, default_key: 1, enum: ["i6300esb", "ib700"] },
    action: { ...text, enum: ["reset", "shutdown", "poweroff", "pause", "debug", "none"] },
  },
  "pve-vm-cpu-conf": {
    cputype: { ...text, default_key: 1 },
    "reported-model": text,
    hidden: flag,
    "hv-vendor-id": { ...text, pattern: "[a-zA-Z0-9]{1,12}" },
    flags: { ...text, pattern: "[+-][a-zA-Z0-9\\-_\\.]+(;[+-][a-zA-Z0-9\\-_\\.]+)*" },
    "guest-phys-bits": { type: "integer", optional: 1, minimum: 32, maximum: 64 },
    "phys-bits": { ...text, format: "pve-phys-bits" },
    level: { type: "integer", optional: 1, minimum: 0, maximum: 4_294_967_295 },
  },
  "pve-qemu-sev-fmt": {
    type: { type: "string", default_key: 1, enum: ["std", "es", "snp"], maxLength: 3 },
    "no-debug": flag,
    "no-key-sharing": flag,
    "allow-smt": flag,
    "kernel-hashes": flag,
  },
  "pve-qemu-tdx-fmt": {
    type: { type: "string", default_key: 1, enum: ["tdx"] },
    attestation: flag,
    "vsock-cid": { type: "integer", optional: 1, minimum: 2 },
    "vsock-port": { type: "integer", optional: 1, minimum: 0 },
  },
  "prune-backups": {
    "keep-all": flag,
    ...Object.fromEntries(
      ["last", "hourly", "daily", "weekly", "monthly", "yearly"].map((name) => [
        `keep-${name}`,
        { type: "number", optional: 1, minimum: 0 },
      ]),
    ),
  },
  "proxmox-remote": {
    host: { type: "string" },
    port: { type: "integer", optional: 1 },
    apitoken: { type: "string" },
    fingerprint: { ...text, pattern: "([A-Fa-f0-9]{2}:){31}[A-Fa-f0-9]{2}" },
  },
};

/** Keys of a property string format, given in place or by name; null for plain text formats. */
export function propertyTable(format: PropertySchema["format"]): PropertyTable | null {
  if (format === undefined) return null;
  if (typeof format !== "string") return format;
  return format === "pve-qm-ide" ? driveTable() : (namedFormats[format] ?? null);
}

function driveTable(): PropertyTable | null {
  return propertyTable(methodTable("9.2", "POST /nodes/{node}/qemu")?.["ide[n]"]?.format);
}
