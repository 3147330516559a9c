// Decides which configurations a sync reads, and reads them: one call for each guest, so only where something may have changed.
import pLimit from "p-limit";
import { GuestStatus } from "../core/enums.js";
import { DiskKind } from "../core/inventory/disk.js";
import type { Replacement } from "../core/inventory/identity.js";
import { DroverError } from "../errors/errors.js";
import type { GuestConfig } from "../hypervisor/guestConfig.js";
import type { Hypervisor } from "../hypervisor/hypervisor.js";
import type { ObservedGuest } from "../hypervisor/observed.js";
import { sizesOf, withSizes, type SizesOn } from "../hypervisor/volumeSizes.js";
import { TaskWork, type TaskStatus } from "../hypervisor/task.js";
import type { Logger } from "../observability/log.js";
import { overviewOf } from "./guestRows.js";
import type { KnownGuest } from "../store/guest/stored.js";

const MOST_CALLS_AT_ONCE = 8;
/** So many calls are worth a connection of their own. */
const CALLS_A_CONNECTION = 16;
/** Configurations that nothing points to are read again after this time, the oldest first. */
const REFRESH_MS = 15 * 60 * 1000;
const REFRESHES_A_SYNC = 100;
/** A slow host is not waited for longer: what was not read is still due in the next sync. */
const PATIENCE_MS = 20_000;

const REPLACING: readonly TaskWork[] = [TaskWork.CREATE, TaskWork.DESTROY];

/**
 * The tasks that made or destroyed each VMID. A clone's task names its source, not the copy; one that failed, because the VMID
 * is taken say, replaced nothing.
 */
export function replacements(tasks: readonly TaskStatus[]): ReadonlyMap<number, readonly Replacement[]> {
  const byVmid = new Map<number, Replacement[]>();
  for (const { upid, work, targetId, endedAt, succeeded } of tasks) {
    if (!REPLACING.includes(work) || endedAt === null || !succeeded) continue;
    const vmid = Number(targetId);
    const replacement = { task: upid, endedAt: endedAt.getTime() };
    const others = byVmid.get(vmid);
    if (others === undefined) byVmid.set(vmid, [replacement]);
    else others.push(replacement);
  }
  return byVmid;
}

interface ConfigQuestion {
  readonly observed: readonly ObservedGuest[];
  readonly known: ReadonlyMap<number, KnownGuest>;
  readonly replaced: ReadonlyMap<number, readonly Replacement[]>;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Reads all of them, whether or not anything points to a change. */
  readonly thorough: boolean;
}

/** Reads the configurations that are due, by VMID; a guest whose node does not answer is left as it is known. */
export async function readConfigs(
  hypervisor: Hypervisor,
  question: ConfigQuestion,
  log: Logger,
): Promise<ReadonlyMap<number, GuestConfig>> {
  const deadline = performance.now() + PATIENCE_MS;
  const due = dueGuests(question);
  const sizesOn = rememberedSizes(hypervisor, log);
  const atOnce = Math.min(MOST_CALLS_AT_ONCE, Math.ceil(due.length / CALLS_A_CONNECTION) || 1);
  const read = await pLimit(atOnce).map(due, async (guest) => {
    if (performance.now() > deadline) return [];
    try {
      const config = await hypervisor.guestConfig(guest);
      const disks = await withSizes(sizesOn, guest.node, config.disks, [DiskKind.DATA]);
      return [[guest.vmid, { ...config, disks }] as const];
    } catch (error) {
      if (!(error instanceof DroverError)) throw error;
      log.debug({ err: error, vmid: guest.vmid }, "a guest's configuration could not be read");
      return [];
    }
  });
  return new Map(read.flat());
}

/** Asks each storage once, for all guests whose configuration does not state a size. One that cannot be read tells none. */
function rememberedSizes(hypervisor: Hypervisor, log: Logger): SizesOn {
  const ask = sizesOf(hypervisor);
  const asked = new Map<string, ReturnType<SizesOn>>();
  const answer: SizesOn = async (node, storage) => {
    try {
      return await ask(node, storage);
    } catch (error) {
      if (!(error instanceof DroverError)) throw error;
      log.debug({ err: error, node, storage }, "the sizes on a storage could not be read");
      return new Map();
    }
  };
  return (node, storage) => {
    const place = `${node}/${storage}`;
    const known = asked.get(place) ?? answer(node, storage);
    asked.set(place, known);
    return known;
  };
}

function dueGuests(question: ConfigQuestion): ObservedGuest[] {
  const readable = question.observed.filter(({ status }) => status !== GuestStatus.UNKNOWN);
  if (question.thorough) return readable;
  return [...new Set([...readable.filter((guest) => isChanged(question, guest)), ...oldest(question, readable)])];
}

function isChanged({ known, replaced }: ConfigQuestion, guest: ObservedGuest): boolean {
  const { overview, tasks } = known.get(guest.vmid) ?? UNREAD;
  return overview !== overviewOf(guest) || (replaced.get(guest.vmid) ?? []).some(({ task }) => !tasks?.includes(task));
}

const UNREAD: Pick<KnownGuest, "overview" | "tasks"> = { overview: null, tasks: null };

const oldest = ({ known, now }: ConfigQuestion, readable: readonly ObservedGuest[]): ObservedGuest[] =>
  readable
    .filter(({ vmid }) => now - (known.get(vmid)?.configReadAt ?? now) > REFRESH_MS)
    .toSorted((left, right) => readAt(known, left) - readAt(known, right))
    .slice(0, REFRESHES_A_SYNC);

const readAt = (known: ReadonlyMap<number, KnownGuest>, { vmid }: ObservedGuest): number =>
  known.get(vmid)?.configReadAt ?? 0;
