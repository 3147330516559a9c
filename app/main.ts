// Starts the service from its environment, and ends it on a signal.
import { readConfig, type Config } from "../src/config/config.js";
import { ConfigError } from "../src/config/configError.js";
import { createLogger } from "../src/observability/log.js";
import { countProcess } from "../src/observability/metrics.js";
import { stopOnSignals } from "./server/signals.js";
import { startService, type Service } from "./service.js";
import { warnOfUnknownVariables } from "../src/config/unknownVariables.js";

/** Trying again may help: systemd does. */
const FAILED = 1;
/** The environment has to be corrected: the unit does not try again. */
const USAGE_ERROR = 2;

await main();

async function main(): Promise<void> {
  const config = configOrExit();
  const log = createLogger(config.logLevel, config.role);
  warnOfUnknownVariables(process.env, log);
  process.on("uncaughtExceptionMonitor", (error) => log.fatal({ err: error }, "an uncaught error"));
  countProcess();
  let starting: Promise<Service> | null = null;
  const stopping = stopOnSignals(log, async () => {
    const service = await starting?.catch(() => null);
    await service?.stop();
  });
  starting = startService(config, log, stopping);
  try {
    const service = await starting;
    log.info({ url: service.url }, "ready");
    // A program that started this one with a channel of Node.js gets the address whatever the log's level is.
    if (process.connected) process.send?.({ ready: service.url });
    if (service.firstAdmin !== null) welcome(service, config);
  } catch (error) {
    if (stopping.aborted) return;
    log.fatal({ err: error }, "the service cannot start");
    process.stderr.write(`drover: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(error instanceof ConfigError ? USAGE_ERROR : FAILED);
  }
}

function configOrExit(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return process.exit(USAGE_ERROR);
  }
}

/** The one time that the password is seen; one that was chosen is known already. */
function welcome({ url, firstAdmin }: Service, { adminPassword }: Config): void {
  if (firstAdmin === null || adminPassword !== undefined) return;
  process.stdout.write(
    `\nThis is the first start of Drover at ${url}.\n` +
      `Sign in as ${firstAdmin.username} with the password ${firstAdmin.password} (shown only now).\n\n`,
  );
}
