// A server under measurement as a process of its own: told which by its arguments, it tells its address, then what it uses when asked.
import { setTimeout as delay } from "node:timers/promises";
import { sqlStatements } from "../../src/observability/metrics.js";
import { whenStarterIsGone } from "../starter.js";

const SETTLE_MS = 50;

/** Microseconds: it grows with the heap, and is no part of what is measured. */
const spentOnTelling = { user: 0, system: 0 };

/** Starts a server. @returns its base URL */
type Start = (databaseUrl: string) => Promise<string>;

/** Each loads what it is made of and nothing else: memory is measured, too. */
const servers: Readonly<Record<string, () => Promise<Start>>> = {
  drover: async () => (await import("./drover.js")).startDrover,
  "drover, with workers": async () => (await import("./drover.js")).startDroverWithWorkers,
  inventory: async () => (await import("./inventory.js")).startInventory,
  "roomy host": async () => (await import("./platform.js")).startRoomyHost,
  "simulated fleet": async () => (await import("./platform.js")).startSimulatedFleet,
  "guests, plain": async () => (await import("./guestsByHand.js")).startPlainGuests,
  "guests, tuned": async () => (await import("./guestsByHand.js")).startTunedGuests,
  "guests, passed through": async () => (await import("./guestsByHand.js")).startPassthroughGuests,
  "heartbeat, bare": async () => (await import("./heartbeatByHand.js")).startBareHeartbeat,
  "requests held, bare": async () => (await import("./holding.js")).startHolding,
  "broadcast, bare": async () => (await import("./broadcast.js")).startBroadcast,
};

whenStarterIsGone(() => process.exit());
const [name = "", databaseUrl = ""] = process.argv.slice(2);
const load = servers[name];
if (load === undefined) throw new Error(`There is no server ${name}`);
const start = await load();
const url = await start(databaseUrl);
process.on("message", () => void tellUse());
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
