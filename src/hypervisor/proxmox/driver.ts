// The driver of Proxmox VE: how its hosts are asked for one caller and another.
import type { Driver, ReachLink } from "../driver.js";
import { isPlatformError, PlatformReason } from "../platformError.js";
import { askOnce } from "./askOnce.js";
import { ProxmoxClient, type Ask } from "./client.js";
import { proxmoxHost } from "./host.js";
import { driverOptions, type DriverOptions } from "./options.js";
import { patientAsk } from "./patientAsk.js";

/** @param settings what differs from the usual time limits. */
export function proxmoxDriver(settings: Partial<DriverOptions> = {}): Driver<ProxmoxClient> {
  const options = driverOptions(settings);
  return {
    open: (connection, isProven) => new ProxmoxClient(connection, isProven, options),
    host: (reach) => proxmoxHost(askBy(reach), options),
    prompt: (reach) => proxmoxHost(within(askBy(reach), options), options),
    patient(reach, signal, observer) {
      const { patienceMs, stopwatch } = options;
      return proxmoxHost(patientAsk(askBy(reach), { patienceMs, stopwatch, signal, observer }), options);
    },
    async once(reach) {
      const ask = askBy(reach);
      await greet(ask, options);
      return proxmoxHost(askOnce(ask), options);
    },
  };
}

const askBy =
  (reach: ReachLink<ProxmoxClient>): Ask =>
  (call) =>
    reach((link) => link.ask(call));

/** All calls together end by then. */
function within(ask: Ask, { promptMs, stopwatch }: DriverOptions): Ask {
  const deadline = stopwatch.milliseconds() + promptMs;
  return (call) => ask({ ...call, withinMs: Math.max(1, deadline - stopwatch.milliseconds()) });
}

/** Every other fault of a host shows at its own query. @throws DroverError platform `PLATFORM_UNREACHABLE` */
async function greet(ask: Ask, options: DriverOptions): Promise<void> {
  try {
    await proxmoxHost((call) => ask({ ...call, withinMs: options.greetingMs }), options).version();
  } catch (error) {
    if (isPlatformError(error, PlatformReason.UNREACHABLE)) throw error;
  }
}
