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

/** Microseconds: it grows with the heap, and is no part of what is measured. */
const spentOnTelling = { user: 0, system: 0 };

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
  const before = process.cpuUsage();
  globalThis.gc?.();
  // What is freed by the first is given back by the second.
  await delay(SETTLE_MS);
  globalThis.gc?.();
  const telling = process.cpuUsage(before);
  spentOnTelling.user += telling.user;
  spentOnTelling.system += telling.system;
  const { user, system } = process.cpuUsage();
  const cpu = { user: user - spentOnTelling.user, system: system - spentOnTelling.system };
  const { values } = await sqlStatements.get();
  process.send?.({ cpu, memory: process.memoryUsage(), statements: values[0]?.value ?? 0 });
}
