// Answers the state of containers: the list of a node, one container's figures, its interfaces.
import type { ApiAnswer } from "../api.js";
import { guestOf, nodeOf } from "../guests/lookup.js";
import { guestCpu, guestCounters } from "../inventory/load.js";
import type { Platform } from "../platform.js";
import { highAvailability } from "../qemu/status.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { Guest } from "../state/guest.js";
import { isTemplate } from "../state/guest.js";
import { atLeast } from "../version.js";
import { liveInterfaces } from "./network.js";
import { containerMemoryBytes, containerProcessors, rootDiskBytes } from "./sizing.js";

type Row = Record<string, unknown>;

const unknownDiskBytes = 4 * 1024 ** 3;

/** `GET /nodes/{node}/lxc`: the containers that the caller may audit. */
export function listContainers(call: Call): ApiAnswer {
  const { platform, identity } = call;
  const visible = [...platform.state.guests.values()]
    .filter((guest) => guest.type === "lxc" && guest.node === nodeOf(call))
    .filter((guest) => platform.permissions.has(identity.label, `/vms/${guest.vmid}`, ["VM.Audit"]));
  // Releases before 8 list container numbers as text.
  const shown = (vmid: number): number | string => (atLeast(platform.release, "8.4") ? vmid : String(vmid));
  return answer(visible.map((guest) => ({ ...containerRow(platform, guest), vmid: shown(guest.vmid) })));
}

/** `GET …/status/current`. */
export function containerStatus(call: Call): ApiAnswer {
  const guest = guestOf(call, "lxc");
  return answer({ ...containerRow(call.platform, guest), ha: highAvailability(guest) });
}

/** `GET …/interfaces`: null while the container is stopped. */
export function containerInterfaces(call: Call): ApiAnswer {
  const guest = call.platform.state.guests.get(Number(call.parameters.text("vmid")));
  if (guest?.type !== "lxc" || guest.runtime === null) return answer(null);
  return answer(liveInterfaces(call.platform.release, guest.config));
}

function containerRow(platform: Platform, guest: Guest): Row {
  const { config, runtime } = guest;
  const { clock } = platform;
  const counters = guestCounters(guest, clock.now());
  return {
    vmid: guest.vmid,
    type: "lxc",
    name: config.hostname ?? `CT${guest.vmid}`,
    status: runtime === null ? "stopped" : "running",
    cpus: containerProcessors(config, platform.state.nodes.get(guest.node)),
    cpu: guestCpu(guest, clock.seconds()),
    maxmem: containerMemoryBytes(config),
    mem: runtime?.memoryBytes ?? 0,
    maxswap: Number(config.swap ?? 0) * 1024 ** 2,
    swap: 0,
    maxdisk: rootDiskBytes(config) || unknownDiskBytes,
    disk: runtime === null ? 0 : Math.round((rootDiskBytes(config) || unknownDiskBytes) * 0.15),
    netin: counters.netin,
    netout: counters.netout,
    diskread: counters.diskread,
    diskwrite: counters.diskwrite,
    uptime: runtime === null ? 0 : Math.floor((clock.now() - runtime.startedAtMs) / 1000),
    ...(runtime === null ? {} : runningColumns(platform, runtime.pid)),
    ...(isTemplate(guest) ? { template: 1 } : {}),
    ...(config.lock === undefined ? {} : { lock: config.lock }),
    ...(config.tags === undefined ? {} : { tags: config.tags }),
  };
}

function runningColumns(platform: Platform, pid: number): Row {
  if (!atLeast(platform.release, "9.2")) return { pid };
  const pressure = ["cpu", "io", "memory"].flatMap((kind) => [`pressure${kind}some`, `pressure${kind}full`]);
  return { pid, ...Object.fromEntries(pressure.map((column) => [column, "0.00"])) };
}
