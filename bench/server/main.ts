// A server under measurement as a process of its own: told which by its arguments, it tells its address, then what it uses when asked.
import { setTimeout as delay } from "node:timers/promises";
import { sqlStatements } from "../../src/metrics.js";
import { startDrover, startDroverWithWorkers } from "./drover.js";
import { startInventory } from "./inventory.js";
import { startRoomyHost, startSimulatedFleet } from "./platform.js";
import { startBroadcast } from "./broadcast.js";
import { startBareHeartbeat, startHolding } from "./heartbeatByHand.js";
import { startPassthroughGuests, startPlainGuests, startTunedGuests } from "./guestsByHand.js";

const SETTLE_MS = 50;

/** Starts a server. @returns its base URL */
type Start = (databaseUrl: string) => Promise<string>;

const servers: Readonly<Record<string, Start>> = {
  drover: startDrover,
  "drover, with workers": startDroverWithWorkers,
  inventory: startInventory,
  "roomy host": startRoomyHost,
  "simulated fleet": startSimulatedFleet,
  "guests, plain": startPlainGuests,
  "guests, tuned": startTunedGuests,
  "guests, passed through": startPassthroughGuests,
  "heartbeat, bare": startBareHeartbeat,
  "requests held, bare": startHolding,
  "broadcast, bare": startBroadcast,
};

const [name = "", databaseUrl = ""] = process.argv.slice(2);
const start = servers[name];
if (start === undefined) throw new Error(`There is no server ${name}`);
const url = await start(databaseUrl);
process.on("message", () => void tellUse());
process.on("disconnect", () => process.exit());
process.send?.({ url });

async function tellUse(): Promise<void> {
  globalThis.gc?.();
  // What is freed by the first is given back by the second.
  await delay(SETTLE_MS);
  globalThis.gc?.();
  const { values } = await sqlStatements.get();
  process.send?.({ cpu: process.cpuUsage(), memory: process.memoryUsage(), statements: values[0]?.value ?? 0 });
}
