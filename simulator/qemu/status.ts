// Answers the state of VMs: the list of a node and one VM's figures.
import { runningMachine } from "./machineTypes.js";
import type { ApiAnswer } from "../api.js";
import { guestOf, nodeOf } from "../guests/lookup.js";
import { guestCpu, guestCounters } from "../inventory/load.js";
import type { Platform } from "../platform.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { Guest } from "../state/guest.js";
import { isTemplate } from "../state/guest.js";
import { atLeast } from "../version.js";
import { bootDiskBytes, memoryBytes, processorCount } from "./sizing.js";

type Row = Record<string, unknown>;

/** `GET /nodes/{node}/qemu`: the VMs that the caller may audit. */
export function listVms(call: Call): ApiAnswer {
  const { platform, identity, parameters } = call;
  const visible = [...platform.state.guests.values()]
    .filter((guest) => guest.type === "qemu" && guest.node === nodeOf(call))
    .filter((guest) => platform.permissions.has(identity.label, `/vms/${guest.vmid}`, ["VM.Audit"]));
  return answer(visible.map((guest) => vmRow(platform, guest, parameters.flag("full"))));
}

/** `GET …/status/current`. */
export function vmStatus(call: Call): ApiAnswer {
  const guest = guestOf(call, "qemu");
  const { vga = "", agent = "" } = guest.config;
  const spice = /^(?:type=)?(?:qxl|virtio)/.test(vga) ? { spice: 1 } : {};
  const clipboard = /clipboard=(\w+)/.exec(vga)?.[1];
  return answer({
    ...vmRow(call.platform, guest, true),
    ha: highAvailability(guest),
    ...spice,
    ...(clipboard === undefined ? {} : { clipboard }),
    ...(/^(?:1|enabled=1)/.test(agent) ? { agent: 1 } : {}),
  });
}

/** What high availability says about a guest. */
export function highAvailability(guest: Guest): Row {
  return guest.hastate === null ? { managed: 0 } : { managed: 1, state: guest.hastate };
}

function vmRow(platform: Platform, guest: Guest, full: boolean): Row {
  const { release, clock } = platform;
  const { config, runtime } = guest;
  const counters = guestCounters(guest, clock.now());
  const cpus = Math.min(processorCount(config), platform.state.nodes.get(guest.node)?.cpus ?? 1);
  return {
    vmid: guest.vmid,
    name: config.name ?? `VM ${guest.vmid}`,
    status: runtime === null ? "stopped" : "running",
    cpus: config.vcpus === undefined ? cpus : Number(config.vcpus),
    cpu: guestCpu(guest, clock.seconds()),
    maxmem: memoryBytes(config),
    mem: runtime?.memoryBytes ?? 0,
    ...(atLeast(release, "9.2") ? { memhost: runtime?.memoryBytes ?? 0 } : {}),
    // Without counters of its disks, the present release leaves them out.
    ...(runtime?.counters !== undefined || !atLeast(release, "9.2")
      ? { diskread: counters.diskread, diskwrite: counters.diskwrite }
      : {}),
    maxdisk: bootDiskBytes(release, config),
    disk: 0,
    netin: counters.netin,
    netout: counters.netout,
    uptime: runtime === null ? 0 : Math.floor((clock.now() - runtime.startedAtMs) / 1000),
    ...optionalColumns(guest),
    ...(runtime === null ? {} : runningColumns(platform, guest)),
    ...(full ? { qmpstatus: runtime?.qmpstatus ?? "stopped" } : {}),
  };
}

function optionalColumns(guest: Guest): Row {
  const { config } = guest;
  const hasSerial = Object.keys(config).some((key) => /^serial\d+$/.test(key));
  const balloon = Number(config.balloon ?? 0);
  return {
    ...(isTemplate(guest) ? { template: 1 } : {}),
    ...(hasSerial ? { serial: 1 } : {}),
    ...(config.lock === undefined ? {} : { lock: config.lock }),
    ...(config.tags === undefined ? {} : { tags: config.tags }),
    ...(balloon > 0 ? { balloon_min: balloon * 1024 ** 2, shares: Number(config.shares ?? 1000) } : {}),
  };
}

function runningColumns(platform: Platform, guest: Guest): Row {
  const pid = guest.runtime === null ? {} : { pid: guest.runtime.pid };
  const process = { ...pid, "running-machine": runningMachine(platform, guest), "running-qemu": platform.qemu };
  if (!atLeast(platform.release, "9.2")) return process;
  const pressure = ["cpu", "io", "memory"].flatMap((kind) => [`pressure${kind}some`, `pressure${kind}full`]);
  return { ...process, ...Object.fromEntries(pressure.map((column) => [column, 0])) };
}
