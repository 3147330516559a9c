// Reads the load of the node from the kernel's own texts (proc(5)): /proc/stat and /proc/meminfo.
export interface CpuTimes {
  /** Clock ticks since boot, summed over all cores. */
  readonly busy: number;
  readonly total: number;
}

interface Memory {
  readonly totalMb: number;
  readonly usedMb: number;
}

/** Sums the first line of /proc/stat. Guest time is already part of user time, so it is not added again. */
export function parseCpuTimes(stat: string): CpuTimes {
  const line = /^cpu\s+([\d ]+)$/m.exec(stat)?.[1];
  const [user = 0, nice = 0, system = 0, idle = 0, ioWait = 0, irq = 0, softIrq = 0, steal = 0] = (line ?? "")
    .trim()
    .split(/\s+/)
    .map(Number);
  const busy = user + nice + system + irq + softIrq + steal;
  if (line === undefined || busy + idle === 0) throw new Error("/proc/stat has no line of all cores");
  return { busy, total: busy + idle + ioWait };
}

/** Fraction of all cores busy between two samples, 0..1; 0 when no tick passed or the counters went back. */
export function cpuUsage(before: CpuTimes, after: CpuTimes): number {
  const total = after.total - before.total;
  const busy = after.busy - before.busy;
  if (total <= 0 || busy <= 0) return 0;
  return Math.min(1, Math.round((busy / total) * 10_000) / 10_000);
}

/** Used is what programs could not get: total less MemAvailable (the kernel's own estimate). */
export function parseMemory(meminfo: string): Memory {
  const kilobytes = (key: string): number | null => {
    const found = new RegExp(`^${key}:\\s+(\\d+) kB$`, "m").exec(meminfo)?.[1];
    return found === undefined ? null : Number(found);
  };
  const total = kilobytes("MemTotal");
  const available = kilobytes("MemAvailable");
  if (total === null || available === null) throw new Error("/proc/meminfo lacks MemTotal or MemAvailable");
  return { totalMb: Math.floor(total / 1024), usedMb: Math.max(0, Math.round((total - available) / 1024)) };
}
