// Asks about single guests that the platform's overview misrepresents: paused machines, and guests just made.
import pLimit from "p-limit";
import { GuestStatus, NodeStatus } from "../core/enums.js";
import { DroverError } from "../errors/errors.js";
import type { Hypervisor } from "../hypervisor/hypervisor.js";
import type { ObservedGuest, ObservedResources } from "../hypervisor/observed.js";
import type { Logger } from "../observability/log.js";
import type { KnownGuest } from "../store/guest/stored.js";

const CALLS_AT_ONCE = 8;
/** More than that are no exceptions, but a node whose statistics have stopped. */
const LOOKS_A_SYNC = 100;

interface Overview {
  readonly resources: ObservedResources;
  readonly known: ReadonlyMap<number, KnownGuest>;
}

/** @returns by VMID, what those guests are really doing; those that do not answer are left out */
export async function actualStatuses(
  hypervisor: Hypervisor,
  { resources, known }: Overview,
  log: Logger,
): Promise<ReadonlyMap<number, GuestStatus>> {
  const online = new Set(resources.nodes.filter(({ status }) => status === NodeStatus.ONLINE).map(({ name }) => name));
  const doubtful = resources.guests.filter(
    (guest) => online.has(guest.node) && isDoubtful(guest, known.get(guest.vmid)?.status),
  );
  const seen = await pLimit(CALLS_AT_ONCE).map(doubtful.slice(0, LOOKS_A_SYNC), async (guest) => {
    try {
      const { status } = await hypervisor.guestStatus(guest);
      return [[guest.vmid, status] as const];
    } catch (error) {
      if (!(error instanceof DroverError)) throw error;
      log.debug({ err: error, vmid: guest.vmid }, "a guest's state could not be read");
      return [];
    }
  });
  return new Map(seen.flat());
}

/** The overview shows paused machines as running, and new guests as unknown for some seconds. */
const isDoubtful = ({ status }: ObservedGuest, known: GuestStatus | undefined): boolean =>
  status === GuestStatus.UNKNOWN || isHiddenPause(status, known);

const isHiddenPause = (status: GuestStatus, known: GuestStatus | undefined): boolean =>
  status === GuestStatus.RUNNING && known === GuestStatus.PAUSED;

/** What to believe of a guest's state: a pause that is on record holds until a closer look says otherwise. */
export function believedStatus(
  overview: GuestStatus,
  known: GuestStatus | undefined,
  looked: GuestStatus | undefined,
): GuestStatus {
  if (looked !== undefined) return looked;
  return isHiddenPause(overview, known) ? GuestStatus.PAUSED : overview;
}
