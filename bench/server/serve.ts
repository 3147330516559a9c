// Serves a listener on a free port.
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";

/** @returns the base URL */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return `http://127.0.0.1:${address.port}`;
}
