// The service itself, with all of its doors, as it runs in the role `api`.
import { readConfig } from "../../src/config.js";
import { createLogger } from "../../src/log.js";
import { startService } from "../../src/service.js";
import { SECRET } from "./parts.js";

/** @returns its base URL */
export async function startDrover(databaseUrl: string): Promise<string> {
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    DROVER_SECRET: SECRET,
    DROVER_ROLE: "api",
    DROVER_ADMIN_PASSWORD: "a password of the benchmarks",
    PORT: "0",
  });
  const { url } = await startService(config, createLogger("error", "bench"));
  return url;
}
