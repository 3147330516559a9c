// Sums up the CPU time of a PostgreSQL server's processes, from Linux's own books.
import { readdir, readFile } from "node:fs/promises";

/** Of one tick, as the kernel counts for everybody. */
const TICK_MICROSECONDS = 10_000;

interface ProcessTimes {
  readonly pid: number;
  readonly parent: number;
  /** Of the process and of its children that have ended, ticks. */
  readonly ticks: number;
}

/** @returns microseconds of the postmaster and all of its processes, ended ones included; NaN where the system keeps no such books */
export async function postgresCpu(postmaster: number): Promise<number> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const times = (await Promise.all(pids.map(timesOf))).flat();
  const own = times.filter(({ pid, parent }) => pid === postmaster || parent === postmaster);
  return own.length === 0 ? Number.NaN : own.reduce((sum, { ticks }) => sum + ticks, 0) * TICK_MICROSECONDS;
}

/** Nothing of a process that has just ended. */
async function timesOf(pid: string): Promise<ProcessTimes[]> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The name, in parentheses, may have spaces; what follows has none.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [parent, user, system, endedUser, endedSystem] = [1, 11, 12, 13, 14].map((index) => Number(fields[index]));
  if (parent === undefined || Number.isNaN(parent)) return [];
  const ticks = (user ?? 0) + (system ?? 0) + (endedUser ?? 0) + (endedSystem ?? 0);
  return [{ pid: Number(pid), parent, ticks }];
}
