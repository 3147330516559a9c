// Takes a node down as a power cut does, and boots it again: what runs on it ends, and what starts on boot comes back.
import { launchContainerStart } from "../lxc/start.js";
import type { Platform } from "../platform.js";
import { launchStart } from "../qemu/start.js";
import { superuser } from "../state/access.js";
import type { Guest } from "../state/guest.js";
import { isTemplate } from "../state/guest.js";
import type { SimulatedNode } from "../state/node.js";
import { isQuorate } from "../state/quorum.js";

/** Ends the node's tasks and the processes of its guests. */
export function cutPower(platform: Platform, node: SimulatedNode): void {
  node.online = false;
  platform.tasks.killNode(node.name);
  for (const guest of guestsOf(platform, node)) guest.runtime = null;
}

/** Guests that are locked fail to start, as for anybody else; without quorum none is started. */
export function boot(platform: Platform, node: SimulatedNode): void {
  node.online = true;
  node.bootedAtMs = platform.clock.now();
  if (!isQuorate(platform.state)) return;
  for (const guest of guestsOf(platform, node)) {
    if (guest.config.onboot === "1" && !isTemplate(guest)) start(platform, guest);
  }
}

const guestsOf = ({ state }: Platform, { name }: SimulatedNode): Guest[] =>
  [...state.guests.values()].filter((guest) => guest.node === name);

function start(platform: Platform, { type, node, vmid }: Guest): void {
  const launch = type === "qemu" ? launchStart : launchContainerStart;
  launch(platform, { node, vmid, identity: { label: superuser } });
}
