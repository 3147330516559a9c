// Answers the recorded figures of nodes and guests: a row a minute, derived from the present load.
import type { ApiAnswer } from "../api.js";
import { failure } from "../api.js";
import { nodeOf } from "../guests/lookup.js";
import type { Call } from "../route.js";
import { answer, vmidOf } from "../route.js";
import type { GuestType } from "../state/guest.js";
import type { PlatformState } from "../state/platform.js";
import { atLeast } from "../version.js";
import { spaceOf } from "../storage/storages.js";
import { guestDiskBytes, guestMemoryBytes, guestProcessors } from "../inventory/capacity.js";
import { guestCpu, nodeCpu, nodeMemory } from "../inventory/load.js";

type Row = Record<string, number>;

interface Frame {
  /** Seconds that a sample stands for. */
  seconds: number;
  samples: number;
}

const minute = 60;
const halfHour = 1800;
/** Releases before 9 keep fewer samples of longer times. */
const formerFrames: Readonly<Record<string, Frame>> = {
  hour: { seconds: minute, samples: 60 },
  day: { seconds: halfHour, samples: 48 },
  week: { seconds: 10_800, samples: 56 },
  month: { seconds: 43_200, samples: 60 },
  year: { seconds: 604_800, samples: 52 },
};
const frames: Readonly<Record<string, Frame>> = {
  hour: { seconds: minute, samples: 60 },
  day: { seconds: minute, samples: 1440 },
  week: { seconds: halfHour, samples: 336 },
  month: { seconds: halfHour, samples: 1440 },
  year: { seconds: 21_600, samples: 1440 },
};

/** One row a sample; a moment without figures is a row with its time alone. */
function rows(call: Call, figures: (time: number) => Row | null): ApiAnswer {
  const known = atLeast(call.platform.release, "9.2") ? frames : formerFrames;
  const { seconds, samples } = known[call.parameters.text("timeframe")] ?? { seconds: minute, samples: 60 };
  const last = Math.floor(call.platform.clock.seconds() / seconds) * seconds;
  const times = Array.from({ length: samples }, (_, index) => last - (samples - 1 - index) * seconds);
  return answer(times.map((time) => ({ time, ...figures(time) })));
}

function missing(call: Call, file: string): Error {
  const place = atLeast(call.platform.release, "9.2") ? file.replace(/^([\w-]+)/, "$1-9.0") : file;
  return failure(
    `RRD error: rrdcached@unix:/var/run/rrdcached.sock: rrd_fetch_r failed: opening '/var/lib/rrdcached/db/${place}': No such file or directory`,
  );
}

const pressure = ["cpusome", "iosome", "iofull", "memorysome", "memoryfull"];
const noPressure = (kinds: readonly string[]): Row =>
  Object.fromEntries(kinds.map((kind) => [`pressure${kind}`, 0] as const));

/** `GET /nodes/{node}/rrddata`; minutes before the node was up have no figures, and while it is down there are none. */
export function nodeRrd(call: Call): ApiAnswer {
  const { state, release } = call.platform;
  const node = state.nodes.get(nodeOf(call));
  if (node === undefined) throw missing(call, `pve-node/${nodeOf(call)}`);
  const upSince = node.bootedAtMs / 1000;
  return rows(call, (time) => {
    if (time < upSince || !node.online) return null;
    const cpu = nodeCpu(state, node, time);
    const memused = nodeMemory(state, node);
    return {
      cpu,
      iowait: cpu * 0.02,
      loadavg: cpu * node.cpus,
      maxcpu: node.cpus,
      memtotal: node.memoryBytes,
      memused,
      roottotal: node.rootBytes,
      rootused: node.rootUsedBytes,
      swaptotal: 0,
      swapused: 0,
      netin: 12_000 + cpu * 250_000,
      netout: 9000 + cpu * 200_000,
      ...(atLeast(release, "9.2")
        ? { memavailable: node.memoryBytes - memused, arcsize: 0, ...noPressure(pressure) }
        : {}),
    };
  });
}

/** Guests that figures were ever kept of: their files outlive them. */
const recorded = new WeakMap<PlatformState, Set<number>>();

function isRecorded(state: PlatformState, vmid: number): boolean {
  const known = recorded.get(state) ?? new Set<number>();
  for (const present of state.guests.keys()) known.add(present);
  recorded.set(state, known);
  return known.has(vmid);
}

/** `GET …/{vmid}/rrddata`; minutes in which the guest did not run have no figures. */
export function guestRrd(type: GuestType): (call: Call) => ApiAnswer {
  return (call) => {
    const { release, state } = call.platform;
    const vmid = vmidOf(call);
    if (!isRecorded(state, vmid)) throw missing(call, `pve-vm/${vmid}`);
    const guest = state.guests.get(vmid);
    if (guest === undefined || guest.type !== type) return rows(call, () => null);
    const since = (guest.runtime?.startedAtMs ?? Number.POSITIVE_INFINITY) / 1000;
    const mem = guest.runtime?.memoryBytes ?? 0;
    return rows(call, (time) => {
      if (time < since) return null;
      const cpu = guestCpu(guest, time);
      const traffic = cpu * 40_000;
      return {
        cpu,
        maxcpu: guestProcessors(guest, state.nodes.get(guest.node)),
        mem,
        maxmem: guestMemoryBytes(guest),
        disk: 0,
        maxdisk: guestDiskBytes(release, guest),
        netin: traffic,
        netout: traffic * 0.6,
        diskread: 0,
        diskwrite: traffic * 2,
        ...(atLeast(release, "9.2") && type === "qemu" ? { memhost: mem } : {}),
        ...(atLeast(release, "9.2") ? noPressure([...pressure, "cpufull"]) : {}),
      };
    });
  };
}

/** `GET /nodes/{node}/storage/{storage}/rrddata`. */
export function storageRrd(call: Call): ApiAnswer {
  const { state } = call.platform;
  const name = call.parameters.text("storage");
  const storage = state.storages.get(name);
  const node = state.nodes.get(nodeOf(call));
  if (storage === undefined || node === undefined) throw missing(call, `pve-storage/${nodeOf(call)}/${name}`);
  const { total, used } = spaceOf(state, storage, node.name);
  return rows(call, (time) => (time < node.bootedAtMs / 1000 || !node.online ? null : { total, used }));
}
