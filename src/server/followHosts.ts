// Drops connections to hosts whose record changed, in whichever process it was changed.
import type { Events } from "../events.js";
import type { Hypervisors } from "../hypervisor/hypervisor.js";
import type { Logger } from "../log.js";
import type { Pool } from "pg";

interface Following {
  readonly pool: Pool;
  readonly events: Events;
  readonly hypervisors: Hypervisors;
  readonly log: Logger;
}

/** Follows the news of hosts until the returned function is called. */
export function followHosts({ pool, events, hypervisors, log }: Following): () => void {
  const forget = (hostId: number): void => {
    hypervisors.forget(hostId).catch((error: unknown) => log.warn({ err: error, hostId }, "a connection stayed open"));
  };
  const forgetAll = async (): Promise<void> => {
    const { rows } = await pool.query<{ id: number }>("select id from host");
    for (const { id } of rows) forget(id);
  };
  const offs = [
    events.on("host", forget),
    // News were lost: any of them may have been about a host.
    events.on("missed", () => {
      forgetAll().catch((error: unknown) => log.warn({ err: error }, "connections to hosts could not be renewed"));
    }),
  ];
  return () => {
    for (const off of offs) off();
  };
}
