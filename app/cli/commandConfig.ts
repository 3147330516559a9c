// Reads the environment of a command, which must name the database of a service: a command starts none of its own.
import { access } from "node:fs/promises";
import { join, resolve } from "node:path";
import { readConfig, type Config } from "../../src/config/config.js";
import { ConfigError } from "../../src/config/configError.js";

/** The first start of a service makes it together with its own database. */
const OF_OWN_DATABASE = "postgres.password";

/** @throws ConfigError that says what is missing, also when no service has made a database where the environment says */
export async function commandConfig(variables: NodeJS.ProcessEnv): Promise<Config> {
  const config = readConfig(variables);
  if (config.databaseUrl !== undefined) return config;
  if ((variables["DROVER_DATA"] ?? "") === "") {
    throw new ConfigError(
      "DATABASE_URL: is missing. A command needs the service's environment (set -a; . /etc/drover.env; set +a), or " +
        "DROVER_DATA for a service with a database of its own (DROVER_DATA=.drover for the demo)",
    );
  }
  const directory = resolve(config.dataDirectory);
  const isMade = await access(join(directory, OF_OWN_DATABASE)).then(
    () => true,
    () => false,
  );
  if (!isMade) throw new ConfigError(`DROVER_DATA: no service has a database in ${directory}, or it cannot be read`);
  return config;
}
