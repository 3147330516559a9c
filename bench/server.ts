// One variant as a process of its own: told which by its first argument, it tells its port, then its CPU time when asked.
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { openBenchParts, type BenchParts } from "./parts.js";
import { bareHandler, passthroughHandler, tunedHandler } from "./variants/byHand.js";
import { droverHandler } from "./variants/drover.js";

const variants: Readonly<Record<string, (parts: BenchParts) => RequestListener>> = {
  bare: bareHandler,
  tuned: tunedHandler,
  passthrough: passthroughHandler,
  drover: droverHandler,
};

const [name = "", databaseUrl = ""] = process.argv.slice(2);
const variant = variants[name];
if (variant === undefined) throw new Error(`There is no variant ${name}`);
const server = createServer(variant(await openBenchParts(databaseUrl)));
server.listen(0, "127.0.0.1");
await once(server, "listening");
process.on("message", () => process.send?.({ cpu: process.cpuUsage() }));
process.on("disconnect", () => process.exit());
process.send?.({ address: server.address() });
