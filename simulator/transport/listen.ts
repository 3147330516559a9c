// Opens and closes a listening server, whatever it speaks.
import type { Server } from "node:http";
import type { Server as SecureServer } from "node:https";

/** A server that listens. */
export interface Listening {
  port: number;
  /** Cuts the connections that are open. */
  close(): Promise<void>;
}

/**
 * @param at port 0 picks one that is free
 * @throws Error with the code of `listen` (EADDRINUSE, EADDRNOTAVAIL)
 */
export async function listen(server: Server | SecureServer, at: { address: string; port: number }): Promise<Listening> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(at.port, at.address, resolve);
  await promise;
  server.off("error", reject);
  return { port: boundPort(server), close: () => close(server) };
}

function boundPort(server: Server | SecureServer): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server is not listening on a port");
  return address.port;
}

async function close(server: Server | SecureServer): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  await promise;
}
