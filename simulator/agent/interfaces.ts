// Tells the network cards of a VM as the system inside sees them.
import type { Guest } from "../state/guest.js";

/** The loopback interface and one for each card. */
export function agentInterfaces(guest: Guest): Record<string, unknown>[] {
  const cards = Object.keys(guest.config).filter((key) => /^net\d+$/.test(key));
  const loopback = {
    name: "lo",
    "hardware-address": "00:00:00:00:00:00",
    "ip-addresses": [address("127.0.0.1/8", "ipv4")],
  };
  return [loopback, ...cards.map((key) => agentCard(guest.config, key))];
}

function agentCard(config: Record<string, string>, key: string): Record<string, unknown> {
  const index = key.slice(3);
  const mac = /=((?:[0-9A-F]{2}:){5}[0-9A-F]{2})/i.exec(config[key] ?? "")?.[1] ?? "";
  const ip = /(?:^|,)ip=([^,]+\/\d+)/.exec(config[`ipconfig${index}`] ?? "")?.[1];
  return {
    name: `eth${index}`,
    "hardware-address": mac.toLowerCase(),
    ...(ip === undefined ? {} : { "ip-addresses": [address(ip, "ipv4")] }),
  };
}

function address(cidr: string, type: string): Record<string, unknown> {
  const [ip = "", prefix = ""] = cidr.split("/");
  return { "ip-address": ip, "ip-address-type": type, prefix: Number(prefix) };
}
