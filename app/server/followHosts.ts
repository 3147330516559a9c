// Drops connections to hosts whose record changed, in whichever process it was changed.
import type { Events } from "../../src/events/events.js";
import type { Hypervisors } from "../../src/hypervisor/hypervisor.js";
import type { Logger } from "../../src/observability/log.js";

interface Following {
  readonly events: Events;
  readonly hypervisors: Hypervisors;
  readonly log: Logger;
}

/** Follows the announcements of hosts until the returned function is called. */
export function followHosts({ events, hypervisors, log }: Following): () => void {
  const forget = (hostId?: number): void => {
    hypervisors.forget(hostId).catch((error: unknown) => log.warn({ err: error, hostId }, "a connection stayed open"));
  };
  const offs = [
    events.on("host", forget),
    // Any of the lost announcements may have concerned a host.
    events.on("gap", () => forget()),
  ];
  return () => {
    for (const off of offs) off();
  };
}
