// Finds TCP ports of this machine to listen on.
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Linux gives outgoing connections ports from 32,768 on: one below stays free between two starts of what listens there. */
const LEAST = 20_000;
const MOST = 32_000;

/** Whether one can listen there now. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen({ port, host: "127.0.0.1" });
  const listens = await once(server, "listening").then(
    () => true,
    () => false,
  );
  if (listens) await once(server.close(), "close");
  return listens;
}

/** A port that is free now and is not taken by outgoing connections later. */
export async function lastingPort(): Promise<number> {
  for (;;) {
    const port = randomInt(LEAST, MOST);
    if (await isFree(port)) return port;
  }
}
