// The service itself, with all of its doors: without workers as it runs in the role `api`, or with them.
import { readConfig } from "../../src/config/config.js";
import { createLogger } from "../../src/observability/log.js";
import { startService } from "../../app/service.js";
import { SECRET } from "./parts.js";

/** Without workers. @returns its base URL */
export const startDrover = (databaseUrl: string): Promise<string> => start(databaseUrl, "api");

/** With workers and the inventory. @returns its base URL */
export const startDroverWithWorkers = (databaseUrl: string): Promise<string> => start(databaseUrl, "all");

async function start(databaseUrl: string, role: "api" | "all"): Promise<string> {
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    DROVER_SECRET: SECRET,
    DROVER_ROLE: role,
    DROVER_ADMIN_PASSWORD: "a password of the benchmarks",
    DROVER_PRIVATE_HOSTS: "127.0.0.1",
    PORT: "0",
  });
  const { url } = await startService(config, createLogger("error", "bench"));
  return url;
}
