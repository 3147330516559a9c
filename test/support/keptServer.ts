// An HTTP server whose idle connections stay open: a client that comes back late, as on a slow machine, meets no connection that is just being closed.
import { createServer, type RequestListener, type Server } from "node:http";

export function keptServer(listener: RequestListener): Server {
  const server = createServer(listener);
  // None.
  server.keepAliveTimeout = 0;
  return server;
}
