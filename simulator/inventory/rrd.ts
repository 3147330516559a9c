// Answers the recorded figures of nodes and guests: a row a minute, derived from the present load.
import type { ApiAnswer } from "../api.js";
import { guestOf, nodeOf } from "../guests/lookup.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { GuestType } from "../state/guest.js";
import { atLeast } from "../version.js";
import { guestDiskBytes, guestMemoryBytes, guestProcessors } from "./capacity.js";
import { guestCpu, nodeCpu, nodeMemory } from "./load.js";

type Row = Record<string, number>;

/** Seconds a sample stands for, and how many there are. */
const frames: Readonly<Record<string, { seconds: number; samples: number }>> = {
  hour: { seconds: 60, samples: 60 },
  day: { seconds: 1800, samples: 48 },
  week: { seconds: 10_800, samples: 56 },
  month: { seconds: 43_200, samples: 60 },
  year: { seconds: 604_800, samples: 52 },
  decade: { seconds: 604_800, samples: 520 },
};

function sampleTimes(call: Call): number[] {
  const { seconds, samples } = frames[call.parameters.text("timeframe")] ?? { seconds: 60, samples: 60 };
  const last = Math.floor(call.platform.clock.seconds() / seconds) * seconds;
  return Array.from({ length: samples }, (_, index) => last - (samples - 1 - index) * seconds);
}

/** `GET /nodes/{node}/rrddata`; minutes before the node was up have no figures. */
export function nodeRrd(call: Call): ApiAnswer {
  const { state, release } = call.platform;
  const node = state.nodes.get(nodeOf(call));
  if (node === undefined) return answer([]);
  const upSince = node.bootedAtMs / 1000;
  const figures = (time: number): Row => {
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
      ...(atLeast(release, "9.2") ? { memavailable: node.memoryBytes - memused } : {}),
    };
  };
  return answer(sampleTimes(call).map((time) => (time < upSince ? { time } : { time, ...figures(time) })));
}

/** `GET …/{vmid}/rrddata`; minutes in which the guest did not run have no load. */
export function guestRrd(type: GuestType): (call: Call) => ApiAnswer {
  return (call) => {
    const guest = guestOf(call, type);
    const { release, state } = call.platform;
    const fixed = {
      maxcpu: guestProcessors(guest, state.nodes.get(guest.node)),
      maxmem: guestMemoryBytes(guest),
      maxdisk: guestDiskBytes(release, guest),
      disk: 0,
    };
    const since = (guest.runtime?.startedAtMs ?? Number.POSITIVE_INFINITY) / 1000;
    const load = (time: number): Row => {
      const cpu = guestCpu(guest, time);
      const mem = guest.runtime?.memoryBytes ?? 0;
      const traffic = cpu * 40_000;
      return { cpu, mem, netin: traffic, netout: traffic * 0.6, diskread: 0, diskwrite: traffic * 2 };
    };
    return answer(sampleTimes(call).map((time) => ({ time, ...fixed, ...(time < since ? {} : load(time)) })));
  };
}
