// Answers a VM's cloud-init data, and what its guest agent tells.
import type { ApiAnswer } from "../api.js";
import { failure } from "../api.js";
import { checkLock, configTable, typedValue } from "../guests/config.js";
import { guestOf } from "../guests/lookup.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import { networkData, userData } from "./cloudInit.js";
import { hasSystem } from "./start.js";

const cloudInitColumns = [
  "cicustom",
  "cipassword",
  "citype",
  "ciuser",
  "ciupgrade",
  "nameserver",
  "searchdomain",
  "sshkeys",
];

/** `GET …/cloudinit`: the values that the image was made from. */
export function readCloudInit(call: Call): ApiAnswer {
  const guest = guestOf(call, "qemu");
  const table = configTable(call.platform.release, "qemu");
  const rows = cloudInitColumns.flatMap((key) => {
    const value = guest.config[key];
    // What is switched off does not show.
    if (value === undefined || value === "0") return [];
    return [{ key, value: key === "cipassword" ? "**********" : typedValue(table, key, value) }];
  });
  return answer(rows);
}

/** `PUT …/cloudinit` makes the image anew. */
export async function regenerateCloudInit(call: Call): Promise<ApiAnswer> {
  await call.platform.locks.hold(guestOf(call, "qemu"), () => checkLock(guestOf(call, "qemu")));
  return answer(null);
}

/** `GET …/cloudinit/dump`: what the guest will read. */
export function dumpCloudInit(call: Call): ApiAnswer {
  const { config, vmid } = guestOf(call, "qemu");
  const kind = call.parameters.text("type");
  if (kind === "user") return answer(userData(config, vmid));
  return answer(kind === "network" ? networkData(config) : `instance-id: ${vmid}\n`);
}

/** `GET …/agent/network-get-interfaces`. @throws ApiError 500 without a running agent */
export function agentInterfaces(call: Call): ApiAnswer {
  const guest = guestOf(call, "qemu");
  if (guest.config.agent === undefined) throw failure("No QEMU guest agent configured");
  if (guest.runtime === null) throw failure(`VM ${guest.vmid} is not running`);
  if (!hasSystem(call.platform, guest)) throw failure("QEMU guest agent is not running");
  const cards = Object.keys(guest.config).filter((key) => /^net\d+$/.test(key));
  const loopback = {
    name: "lo",
    "hardware-address": "00:00:00:00:00:00",
    "ip-addresses": [address("127.0.0.1/8", "ipv4")],
  };
  return answer({ result: [loopback, ...cards.map((key) => agentCard(guest.config, key))] });
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
