// Bare `ws`: whoever connects is sent the state of the run that changed, read once and written once for all.
import { createServer } from "node:http";
import { once } from "node:events";
import { WebSocketServer } from "ws";
import { openBenchParts } from "./parts.js";

const STATE = "select json_build_object('id', id, 'node', node)::text as json from run where id = $1";

/** @returns its base URL */
export async function startBroadcast(databaseUrl: string): Promise<string> {
  const { services } = await openBenchParts(databaseUrl);
  const http = createServer();
  const sockets = new WebSocketServer({ server: http });
  services.events.on("run", (id) => void tell(id));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const address = http.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return `http://127.0.0.1:${address.port}`;

  async function tell(id: number): Promise<void> {
    const { rows } = await services.pool.query<{ json: string }>({ name: "state", text: STATE, values: [id] });
    for (const socket of sockets.clients) socket.send(rows[0]?.json ?? "null");
  }
}
