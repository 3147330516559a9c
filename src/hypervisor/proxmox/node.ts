// Asks about one node: its bridges, the volumes on its storages, its last hour. Removes a volume.
import { z } from "zod";
import type { NodeHistorySample, ObservedNetwork, StorageVolume } from "../observed.js";
import type { Ask } from "./client.js";
import { figureIn, figureOrNull } from "./figures.js";
import { flag, listOf, nameIn, onceEach, records, senseless, text, textIn, textOrNull, understand } from "./parse.js";
import { apiPath } from "./path.js";
import { NOTHING, unlessUnknown } from "./refusedAnswer.js";
import type { Upid } from "../task.js";
import { upidOrNull } from "./upid.js";

const networksAnswer = listOf(
  z.object({
    iface: text,
    type: text,
    active: flag,
    cidr: textOrNull,
    address: textOrNull,
    netmask: textOrNull,
    mtu: figureOrNull("mtu"),
    bridge_vlan_aware: flag,
  }),
);

/** What a list holds that was not asked for `any_bridge`, or by somebody who does not know that filter. */
const NO_BRIDGES = new Set(["eth", "bond", "alias", "vlan", "loopback", "fabric", "OVSBond", "OVSPort", "OVSIntPort"]);

/** Bridges of every kind that a guest can be attached to, SDN networks included. */
export async function readNetworks(ask: Ask, node: string): Promise<readonly ObservedNetwork[]> {
  const path = apiPath`/nodes/${node}/network`;
  const question = ask({ method: "GET", path, parameters: { type: "any_bridge" } });
  const { data, source } = await unlessUnknown(question, () => NOTHING);
  const bridges = understand(networksAnswer, data, source).filter(({ type }) => !NO_BRIDGES.has(type));
  return onceEach(bridges, ({ iface }) => iface).map(
    ({ iface, type, active, cidr, address, netmask, mtu, bridge_vlan_aware: vlanAware }) => ({
      name: iface,
      type,
      active,
      cidr: cidr ?? (address !== null && netmask !== null ? `${address}/${netmask}` : null),
      mtu,
      vlanAware,
    }),
  );
}

/** @param content such as `vztmpl`; undefined: all. Slow on network storages, and hangs when one of them is away. */
export async function readVolumes(
  ask: Ask,
  { node, storage, content }: { node: string; storage: string; content: string | undefined },
): Promise<readonly StorageVolume[]> {
  const path = apiPath`/nodes/${node}/storage/${storage}/content`;
  const { data, source } = await ask({ method: "GET", path, parameters: { content }, slow: true });
  const volumes = records(data, source).map((row) => volumeIn(row, { source, content }));
  return onceEach(volumes, ({ volid }) => volid).filter(
    (volume) => content === undefined || volume.content === content,
  );
}

/** By hand, since there may be 100,000. */
function volumeIn(
  row: Readonly<Record<string, unknown>>,
  { source, content }: { source: string; content: string | undefined },
): StorageVolume {
  const volid = nameIn(row["volid"]);
  if (volid === null) throw senseless(source, "a row without volid");
  const madeAt = figureIn(row["ctime"], "moment");
  return {
    volid,
    content: textIn(row["content"]) ?? content ?? "unknown",
    format: textIn(row["format"]),
    sizeBytes: sizeOf(figureIn(row["size"], "diskBytes") ?? figureIn(row["approximate-size"], "diskBytes")),
    vmid: figureIn(row["vmid"], "vmid"),
    createdAt: madeAt === null ? null : madeAt * 1000,
  };
}

/** A directory without a limit has the size 0. */
const sizeOf = (bytes: number | null): number | null => (bytes === null ? null : Math.round(bytes) || null);

/** A volume that is not there makes no difference to the platform either. */
export async function deleteVolume(ask: Ask, node: string, volid: string): Promise<Upid | null> {
  const storage = volid.slice(0, volid.indexOf(":"));
  const path = apiPath`/nodes/${node}/storage/${storage}/content/${volid}`;
  const { data } = await ask({ method: "DELETE", path });
  return upidOrNull(data, path);
}

/**
 * Since every version keeps an hour as 60 samples of a minute; minutes without figures are left out. Read by hand: what a schema
 * makes of 60 rows a node outlives the young generation where many nodes are asked at once.
 */
export async function readHistory(ask: Ask, node: string): Promise<readonly NodeHistorySample[]> {
  const path = apiPath`/nodes/${node}/rrddata`;
  const { data, source } = await ask({ method: "GET", path, parameters: { timeframe: "hour", cf: "AVERAGE" } });
  const samples: NodeHistorySample[] = [];
  for (const { time, cpu, memused } of records(data, source)) {
    const [seconds, cpuUsage, memoryUsedBytes] = [
      figureIn(time, "moment"),
      figureIn(cpu, "cpuShare"),
      figureIn(memused, "ramBytes"),
    ];
    if (seconds === null || cpuUsage === null || memoryUsedBytes === null) continue;
    samples.push({ at: seconds * 1000, cpuUsage, memoryUsedBytes });
  }
  return samples;
}
