// Refuses what shows only when a VM's process is launched: too little memory, impossible processors, bridges that are not there.
import { failure } from "../api.js";
import { hasBridge, requireBridge } from "../guests/bridges.js";
import type { Platform } from "../platform.js";
import type { Guest } from "../state/guest.js";
import { atLeast } from "../version.js";
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

/** The kernel promises more than it has, but no single block beyond all of it. */
function complain({ state }: Platform, { config, node }: Guest): string[] | null {
  const most = processorCount(config);
  const wanted = Number(config.vcpus ?? most);
  if (wanted > most) {
    const { sockets = "1", cores = "1" } = config;
    return [
      `kvm: Invalid CPU topology: maxcpus must be equal to or greater than smp: sockets (${sockets}) * dies (1) * cores (${cores}) * threads (1) == maxcpus (${most}) < smp_cpus (${wanted})`,
    ];
  }
  const memory = state.nodes.get(node)?.memoryBytes ?? 0;
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
