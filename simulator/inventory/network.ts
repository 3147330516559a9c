// Answers a node's network interfaces, bridges filtered by what the caller may see.
import type { ApiAnswer } from "../api.js";
import { parameterError } from "../api.js";
import { nodeOf } from "../guests/lookup.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { NetworkInterface } from "../state/node.js";
import { atLeast } from "../version.js";

type Row = Record<string, unknown>;

/** `GET /nodes/{node}/network`. */
export function listInterfaces(call: Call): ApiAnswer {
  const wanted = call.parameters.optional("type");
  const rows = configured(call)
    .filter(({ entry }) => wanted === undefined || matches(entry, wanted))
    .filter(({ entry }) => maySee(call, entry))
    .map(({ entry, priority }) => ({ iface: entry.iface, ...interfaceColumns(entry, priority) }));
  return answer(rows);
}

/** `GET /nodes/{node}/network/{iface}`: one interface, without its name. */
export function readInterface(call: Call): ApiAnswer {
  const found = configured(call).find(({ entry }) => entry.iface === call.parameters.text("iface"));
  if (found === undefined) throw parameterError({ iface: "interface does not exist" });
  return answer(interfaceColumns(found.entry, found.priority));
}

/** Interfaces of the configuration file with their places in it. */
function configured(call: Call): { entry: NetworkInterface; priority: number }[] {
  const interfaces = call.platform.state.nodes.get(nodeOf(call))?.network ?? [];
  return interfaces.filter((entry) => entry.configured).map((entry, index) => ({ entry, priority: index + 3 }));
}

function matches(entry: NetworkInterface, type: string): boolean {
  if (type === "any_bridge" || type === "any_local_bridge" || type === "include_sdn")
    return entry.type === "bridge" || entry.type === "OVSBridge";
  return entry.type === type;
}

function maySee(call: Call, entry: NetworkInterface): boolean {
  const isBridge = entry.type === "bridge" || entry.type === "OVSBridge";
  if (!isBridge || !atLeast(call.platform.release, "8.4")) return true;
  return call.platform.permissions.hasBridge(call.identity.label, entry.iface, ["SDN.Audit", "SDN.Use"]);
}

function interfaceColumns(entry: NetworkInterface, priority: number): Row {
  const bridgeColumns =
    entry.type === "bridge"
      ? {
          bridge_ports: entry.bridgePorts,
          bridge_stp: "off",
          bridge_fd: "0",
          ...(entry.vlanAware ? { bridge_vlan_aware: 1 } : {}),
        }
      : {};
  const [address = "", netmask = ""] = (entry.cidr ?? "").split("/");
  const addressColumns = entry.cidr === null ? {} : { cidr: entry.cidr, address, netmask };
  return {
    type: entry.type,
    method: entry.cidr === null ? "manual" : "static",
    method6: "manual",
    families: ["inet"],
    priority,
    ...(entry.active ? { active: 1 } : {}),
    ...(entry.autostart ? { autostart: 1 } : {}),
    ...addressColumns,
    ...(entry.mtu === null ? {} : { mtu: String(entry.mtu) }),
    ...(entry.gateway === null ? {} : { gateway: entry.gateway }),
    ...bridgeColumns,
  };
}
