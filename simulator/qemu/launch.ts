// Refuses what shows only when a VM's process is launched: too little memory, impossible processors, bridges that are not there.
import { failure } from "../api.js";
import { hasBridge, requireBridge } from "../guests/bridges.js";
import type { Platform } from "../platform.js";
import type { ConfigValues, Guest } from "../state/guest.js";
import { atLeast } from "../version.js";
import { isMachineKnown, machineOf } from "./machineTypes.js";
import { isNetworkName, parseNetwork } from "./network.js";
import { memoryBytes, processorCount } from "./sizing.js";

/** @param log what the process says. @throws ApiError 500 as the task ends */
export function launchProcess(platform: Platform, guest: Guest, log: (line: string) => void): void {
  const cards = cardsOf(platform, guest);
  // Since 9 the command line has the frame size of the bridge, so that it is missed before the process is there.
  for (const { bridge, model } of cards) {
    if (atLeast(platform.release, "9.2") && model === "virtio") requireBridge(platform.state, guest.node, bridge);
  }
  const complaint = complain(platform, guest) ?? complainOfBridges(platform, guest, cards);
  if (complaint === null) return;
  for (const line of complaint) log(line);
  throw failure("start failed: QEMU exited with code 1");
}

interface Card {
  readonly key: string;
  readonly model: string | undefined;
  readonly bridge: string;
}

const cardsOf = ({ release }: Platform, { config }: Guest): Card[] =>
  Object.entries(config)
    .filter(([key]) => isNetworkName(key))
    .flatMap(([key, value]) => {
      const { model, bridge } = parseNetwork(release, value);
      return bridge === undefined ? [] : [{ key, model, bridge }];
    });

const needs: Readonly<Record<string, string>> = {
  "x86-64-v2": "cx16 lahf_lm popcnt sse4_1 sse4_2 ssse3",
  "x86-64-v2-AES": "cx16 lahf_lm popcnt sse4_1 sse4_2 ssse3 aes",
  "x86-64-v3": "cx16 lahf_lm popcnt sse4_1 sse4_2 ssse3 aes abm avx avx2 bmi1 bmi2 f16c fma movbe",
  "x86-64-v4":
    "cx16 lahf_lm popcnt sse4_1 sse4_2 ssse3 aes abm avx avx2 bmi1 bmi2 f16c fma movbe avx512bw avx512cd avx512dq avx512f avx512vl",
};

/** What the CPU model needs and the node's processor has not. */
function lackingFlags({ cpu = "" }: ConfigValues, flags: string): string[] {
  const [model = ""] = cpu.split(",").map((part) => part.replace(/^cputype=/, ""));
  const held = new Set(flags.split(" "));
  return (needs[model] ?? "").split(" ").filter((flag) => flag !== "" && !held.has(flag));
}

/** The kernel promises more than it has, but no single block beyond all of it. */
function complain(platform: Platform, { config, node }: Guest): string[] | null {
  const most = processorCount(config);
  const wanted = Number(config.vcpus ?? most);
  if (wanted > most) {
    const { sockets = "1", cores = "1" } = config;
    return [
      `kvm: Invalid CPU topology: maxcpus must be equal to or greater than smp: sockets (${sockets}) * dies (1) * cores (${cores}) * threads (1) == maxcpus (${most}) < smp_cpus (${wanted})`,
    ];
  }
  const machine = machineOf(platform, config);
  if (!isMachineKnown(platform, machine))
    return [`kvm: unsupported machine type '${machine}'`, "Use -machine help to list supported machines"];
  const lacking = lackingFlags(config, platform.state.nodes.get(node)?.processor.flags ?? "");
  if (lacking.length > 0)
    return [
      ...lacking.map((flag) => `kvm: warning: host doesn't support requested feature: ${flag}`),
      "kvm: Host doesn't support requested features",
    ];
  const memory = platform.state.nodes.get(node)?.memoryBytes ?? 0;
  return memoryBytes(config) > memory ? ["kvm: cannot set up guest memory 'pc.ram': Cannot allocate memory"] : null;
}

function complainOfBridges(
  { state, release }: Platform,
  { node, vmid }: Guest,
  cards: readonly Card[],
): string[] | null {
  const missing = cards.find(({ bridge }) => !hasBridge(state, node, bridge));
  if (missing === undefined) return null;
  const { key, bridge } = missing;
  const script = `${atLeast(release, "9.2") ? "/usr/libexec" : "/var/lib"}/qemu-server/pve-bridge`;
  const tap = `tap${vmid}i${key.slice("net".length)}`;
  return [
    `bridge '${bridge}' does not exist`,
    `kvm: -netdev type=tap,id=${key},ifname=${tap},script=${script},downscript=${script}down,vhost=on: network script ${script} failed with status 512`,
  ];
}
