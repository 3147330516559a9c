// Keeps a VM's cloud-init values: hashes passwords, regenerates the drive and shows what the guest will read.
import { createHash, randomBytes } from "node:crypto";
import { parsePropertyString } from "../parameters/propertyString.js";
import { propertyTable } from "../parameters/namedFormats.js";
import { splitList } from "../parameters/lists.js";
import type { ConfigValues } from "../state/guest.js";

/** Windows guests get the plain password, all others a hash. */
export function storedPassword(ostype: string | undefined, password: string): string {
  const isWindows = /^(?:w|wxp|w2k|wvista|win)/.test(ostype ?? "");
  const isHashed = /^\$(?:[156]|2[ay])(?:\$.+){2}/.test(password);
  if (isWindows || isHashed) return password;
  const salt = randomBytes(6).toString("base64").replaceAll("+", "X");
  const digest = createHash("sha256").update(salt).update(password).digest("base64").slice(0, 43);
  return `$5$${salt}$${digest.replaceAll("+", ".").replaceAll("=", "")}`;
}

/** The user data that the image holds. */
export function userData(config: ConfigValues, vmid: number): string {
  const host = (config.name ?? `VM${vmid}`).split(".")[0] ?? "";
  const lines = ["#cloud-config", `hostname: ${host}`, "manage_etc_hosts: true"];
  const domain = config.searchdomain ?? "";
  if (config.name?.includes(".") === true) lines.push(`fqdn: ${config.name}`);
  else if (domain !== "") lines.push(`fqdn: ${host}.${domain}`);
  if (config.ciuser !== undefined)
    lines.push(`user: ${config.ciuser}`, ...(config.ciuser === "root" ? ["disable_root: False"] : []));
  if (config.cipassword !== undefined) lines.push(`password: ${config.cipassword}`);
  const keys = decodeURIComponent(config.sshkeys ?? "")
    .split("\n")
    .filter((key) => key.trim() !== "");
  if (keys.length > 0) lines.push("ssh_authorized_keys:", ...keys.map((key) => `  - ${key}`));
  lines.push("chpasswd:", "  expire: False");
  if (config.ciuser === undefined || config.ciuser !== "root") lines.push("users:", "  - default");
  if (config.ciupgrade !== "0") lines.push("package_upgrade: true");
  return `${lines.join("\n")}\n`;
}

/** The network data in version 1 of cloud-init's format. */
export function networkData(config: ConfigValues): string {
  const cards = Object.keys(config)
    .filter((key) => /^net\d+$/.test(key))
    .toSorted();
  const lines = ["version: 1", "config:", ...cards.flatMap((key) => cardLines(config, key))];
  const servers = splitList(config.nameserver ?? "");
  if (servers.length > 0 || config.searchdomain !== undefined) {
    lines.push("    - type: nameserver", "      address:", ...servers.map((server) => `      - '${server}'`));
    lines.push("      search:", ...splitList(config.searchdomain ?? "").map((domain) => `      - '${domain}'`));
  }
  return `${lines.join("\n")}\n`;
}

function cardLines(config: ConfigValues, key: string): string[] {
  const index = key.slice(3);
  const address = parsePropertyString(config[`ipconfig${index}`] ?? "", propertyTable("pve-qm-ipconfig") ?? {});
  const mac = /(?:^|,)[^=,]+=((?:[0-9A-F]{2}:){5}[0-9A-F]{2})/i.exec(config[key] ?? "")?.[1] ?? "";
  const lines = [
    "    - type: physical",
    `      name: eth${index}`,
    `      mac_address: '${mac.toLowerCase()}'`,
    "      subnets:",
  ];
  return [...lines, ...subnetLines(address.ip, address.gw, "4"), ...subnetLines(address.ip6, address.gw6, "6")];
}

function subnetLines(address: string | undefined, gateway: string | undefined, family: "4" | "6"): string[] {
  if (address === undefined) return [];
  if (address === "dhcp") return [`      - type: dhcp${family}`];
  if (address === "auto") return ["      - type: dhcp6"];
  const [ip = "", prefix = ""] = address.split("/");
  const lines =
    family === "4"
      ? ["      - type: static", `        address: '${ip}'`, `        netmask: '${netmask(Number(prefix))}'`]
      : ["      - type: static6", `        address: '${address}'`];
  return gateway === undefined ? lines : [...lines, `        gateway: '${gateway}'`];
}

function netmask(prefix: number): string {
  const bits = prefix === 0 ? 0 : (0xffffffff << (32 - prefix)) >>> 0;
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join(".");
}
