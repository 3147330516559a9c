// The operator's settings: one row.
import { sql } from "kysely";
import type { Thresholds } from "../core/balance/load.js";
import type { UserRole } from "../core/enums.js";
import { settingColumn, type SettingName } from "../core/settings.js";
import { rowOf, tables, type Connection } from "./tables.js";

const WEIGHTS = ["ramWeight", "cpuWeight", "storageWeight"] as const satisfies readonly SettingName[];

interface ChangedSettings {
  readonly values: ReadonlyMap<SettingName, number | null>;
  /** Left out: they stay. */
  readonly secondFactorRoles?: readonly UserRole[];
}

/**
 * Sets these and leaves the rest. One statement, so that two changes at once never leave all weights at 0.
 * @returns false, and nothing is changed, if no weight would be above 0
 */
export async function change(connection: Connection, { values, secondFactorRoles }: ChangedSettings): Promise<boolean> {
  const weights = WEIGHTS.map((name) => sql`coalesce(${values.get(name) ?? null}, ${sql.ref(settingColumn(name))})`);
  const changed = tables
    .updateTable("setting")
    .set({
      ...Object.fromEntries([...values].map(([name, value]) => [settingColumn(name), value])),
      ...(secondFactorRoles !== undefined && { second_factor_roles: [...secondFactorRoles] }),
    })
    .where(sql<boolean>`${sql.join(weights, sql` + `)} > 0`)
    .returning("one_row");
  return (await rowOf(connection, changed)) !== null;
}

const ROLES = tables.selectFrom("setting").select("second_factor_roles as roles");

/** The roles that need a second factor. */
export const secondFactorRoles = async (connection: Connection): Promise<readonly UserRole[]> =>
  (await rowOf(connection, ROLES))?.roles ?? [];

/** The same, which stay as they are until the transaction ends. */
export const heldSecondFactorRoles = async (client: Connection): Promise<readonly UserRole[]> =>
  (await rowOf(client, ROLES.forUpdate()))?.roles ?? [];

/** How long and how large the request log may become. */
interface RequestLogLimits {
  readonly retentionDays: number;
  readonly maxMb: number;
}

/** The limits of the request log. @returns null when there are no settings */
export const requestLogLimits = (connection: Connection): Promise<RequestLogLimits | null> =>
  rowOf(
    connection,
    tables.selectFrom("setting").select(["request_log_retention_days as retentionDays", "request_log_max_mb as maxMb"]),
  );

/** How long a session lasts, by what was asked for at sign-in. */
interface SessionLife {
  readonly hours: number;
  readonly rememberedDays: number;
}

/** How long sessions last that begin now. @returns null when there are no settings */
export const sessionLife = (connection: Connection): Promise<SessionLife | null> =>
  rowOf(
    connection,
    tables.selectFrom("setting").select(["session_hours as hours", "remembered_session_days as rememberedDays"]),
  );

// By the types of MikroORM a fraction may be a text; the driver makes it a number.
const RAM_PERCENT = sql.ref<number>("ram_threshold_percent").as("ramPercent");
const CPU_PERCENT = sql.ref<number>("cpu_threshold_percent").as("cpuPercent");

/** The thresholds of balancing. @returns null when there are no settings */
export const thresholds = (connection: Connection): Promise<Thresholds | null> =>
  rowOf(connection, tables.selectFrom("setting").select([RAM_PERCENT, CPU_PERCENT]));
