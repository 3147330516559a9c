// A TCP proxy before a database, which can be made to cut its connections off, with and without a word, as a failing network does.
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

interface Proxy {
  /** The database's URL, by way of the proxy. */
  readonly url: string;
  /** Cuts the next connection whose client sends these words: before they are passed on, or before their answer is. */
  cut(words: string, moment: "before" | "after"): void;
  /** Whether a connection is still to be cut. */
  readonly isToCut: boolean;
  /** From now on nothing goes through the connections that there are; new ones work. */
  freeze(): void;
  close(): Promise<void>;
}

export async function startProxy(databaseUrl: string): Promise<Proxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let cutting: { readonly words: string; readonly moment: "before" | "after" } | null = null;
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    near.on("data", (sent) => {
      if (cutting === null || !sent.includes(cutting.words)) return;
      const { moment } = cutting;
      cutting = null;
      if (moment === "before") far.destroy();
      else
        far
          .unpipe()
          .once("data", () => far.destroy())
          .resume();
    });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("error", () => to.destroy()).on("close", () => to.destroy());
      from.pipe(to);
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The proxy has no port");
  const url = new URL(databaseUrl);
  url.port = String(address.port);
  return {
    url: url.href,
    cut(words, moment) {
      cutting = { words, moment };
    },
    get isToCut() {
      return cutting !== null;
    },
    freeze() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
