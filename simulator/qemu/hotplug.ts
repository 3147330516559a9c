// Plugs processors and memory into a running VM, or says why that does not work.
import type { Platform } from "../platform.js";
import type { Guest } from "../state/guest.js";
import { memoryBytes, processorCount } from "./sizing.js";
import { hasSystem } from "./hasSystem.js";

/** What became of it: the value in force now when it is another than wanted, or the problem. */
interface Plugged {
  value?: string;
  problem: string | null;
}

const mib = 1024 ** 2;
/** Simulated milliseconds that a guest gets to let go of a processor or a memory module. */
const patienceMs = 20_000;
const done: Plugged = { problem: null };

/** Other keys need nothing. */
export async function plugProcessorsAndMemory(platform: Platform, guest: Guest, key: string): Promise<Plugged> {
  const wanted = guest.pending[key] ?? "";
  if (key === "vcpus") return plugProcessors(platform, guest, Number(wanted));
  return key === "memory" ? plugMemory(platform, guest, memoryBytes({ memory: wanted }) / mib) : done;
}

async function plugProcessors(platform: Platform, guest: Guest, wanted: number): Promise<Plugged> {
  const most = processorCount(guest.config);
  const present = Number(guest.config.vcpus ?? most);
  if (wanted > most) return { problem: "you can't add more vcpus than maxcpus" };
  if (wanted >= present || hasSystem(platform, guest)) return done;
  await platform.clock.sleep(patienceMs);
  return { problem: `error unplugging cpu${present}` };
}

async function plugMemory(platform: Platform, guest: Guest, wanted: number): Promise<Plugged> {
  const present = memoryBytes(guest.config) / mib;
  if (guest.config.numa !== "1") return { problem: "NUMA needs to be enabled for memory hotplug" };
  const modules = modulesUpTo(Math.max(present, wanted));
  if (wanted >= present) return { value: String(modules.at(-1) ?? wanted), problem: null };
  if (hasSystem(platform, guest)) return done;
  await platform.clock.sleep(patienceMs);
  return { problem: `400 Parameter verification failed.\ndimm${modules.length - 1}: error unplug memory module` };
}

/** Memory comes in modules of 512 MiB on top of the first GiB; 32 of a size, then of twice the size. Gives the sums, MiB. */
function modulesUpTo(total: number): number[] {
  const sums: number[] = [];
  let size = 512;
  for (let present = 1024; present < total;) {
    present += size;
    sums.push(present);
    if (sums.length % 32 === 0) size *= 2;
  }
  return sums;
}
