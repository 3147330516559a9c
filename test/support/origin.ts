// Has a server of a test listen.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { Server } from "node:http";

/** Has the server listen on a free port. @returns its address, without a slash at its end */
export async function originOf(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return `http://127.0.0.1:${address.port}`;
}
