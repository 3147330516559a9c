// Holds a connection that shows other users of the embedded server that somebody is using it.
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";

/** Connections that were closed a moment ago are still listed for so long at most. */
const LEAVING_MS = 1_000;
const POLL_MS = 20;
const OTHERS = "select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() limit 1";

/** An open connection to the server's maintenance database. */
export interface Presence {
  /** Makes the database unless there is one of that name. */
  makeDatabase(name: string): Promise<void>;
  /** Whether nobody else is connected; a server that has gone, or was restarted by another process, is not exclusive. */
  isAlone(): Promise<boolean>;
  end(): Promise<void>;
}

/** @throws Error when the server refuses */
export async function connectPresence(url: string): Promise<Presence> {
  const client = new Client({ connectionString: url, application_name: "drover presence" });
  let lost = false;
  client.on("error", () => (lost = true));
  await client.connect();
  /** Null: the server has just gone, and whoever ended it looks after it. */
  const hasOthers = async (): Promise<boolean | null> => {
    if (lost) return null;
    try {
      return (await client.query(OTHERS)).rowCount !== 0;
    } catch {
      lost = true;
      return null;
    }
  };
  return {
    async makeDatabase(name) {
      const known = await client.query("select from pg_database where datname = $1", [name]);
      if (known.rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
    },
    async isAlone() {
      const deadline = Date.now() + LEAVING_MS;
      let others = await hasOthers();
      while (others === true && Date.now() < deadline) {
        await delay(POLL_MS);
        others = await hasOthers();
      }
      return others === false;
    },
    async end() {
      if (!lost) await client.end();
    },
  };
}
