// Changes the operator's settings.
import { permit, permitEverywhere } from "../access/permit.js";
import type { Context } from "../context/context.js";
import { mayGrantRole, Permission } from "../core/access/permissions.js";
import type { UserRole } from "../core/enums.js";
import type { Problem } from "../core/problem.js";
import { isOptional, settingEntries, type SettingName, type SettingChanges } from "../core/settings.js";
import { inTransaction } from "../db/transaction.js";
import { DroverError, validationError } from "../errors/errors.js";
import * as sessions from "../store/session.js";
import * as settings from "../store/setting.js";
import type { Connection } from "../store/tables.js";

/** @throws DroverError `forbidden`, `validation` that names every offending field; then nothing is changed */
export async function updateSettings(context: Context, input: SettingChanges): Promise<void> {
  permit(context, Permission.HOSTS_MANAGE);
  permitEverywhere(context, "Settings");
  const problems = problemsOf(input);
  if (problems.length > 0) throw validationError(problems);
  const { pool } = context;
  const { secondFactorRoles: roles } = input;
  const values = changesIn(input);
  if (values.has("sessionIdleMinutes")) await endIdleSessions(context);
  if (roles != null) await inTransaction(pool, (client) => changeWithRoles(context, client, { values, roles }));
  else if (values.size > 0) await change(pool, { values });
}

async function change(connection: Connection, changes: Parameters<typeof settings.change>[1]): Promise<void> {
  if (!(await settings.change(connection, changes))) throw validationError(WEIGHTLESS);
}

interface ChangesWithRoles {
  readonly values: ReadonlyMap<SettingName, number | null>;
  readonly roles: readonly UserRole[];
}

/** @throws DroverError `forbidden` for a role above the caller's own */
async function changeWithRoles(
  context: Context,
  client: Connection,
  { values, roles }: ChangesWithRoles,
): Promise<void> {
  const next = new Set(roles);
  const held = new Set(await settings.heldSecondFactorRoles(client));
  const changed = [...next, ...held].filter((role) => next.has(role) !== held.has(role));
  const { viewer } = context;
  const above = changed.find((role) => viewer.kind === "user" && !mayGrantRole(viewer.role, role));
  if (above !== undefined)
    throw new DroverError("forbidden", `You may not decide on the second factors of role ${above}`);
  await change(client, { values, secondFactorRoles: [...next] });
  context.events.emitLocal("access", 0);
}

/** A session that has ended for want of use stays ended, also when sessions may be unused for longer from now on. The caller's is in use. */
async function endIdleSessions({ viewer, pool, clock, sourceIp }: Context): Promise<void> {
  const at = clock.now();
  if (viewer.kind === "user") await sessions.recordUses(pool, [{ id: viewer.sessionId, at, sourceIp }]);
  await sessions.deleteExpired(pool, at);
}

const WEIGHTLESS: readonly Problem[] = ["ramWeight", "cpuWeight", "storageWeight"].map((field) => ({
  field,
  message: "cannot all be 0",
}));

function problemsOf(input: SettingChanges): Problem[] {
  return settingEntries.flatMap(([field, { least, most }]) => {
    const value = input[field];
    const fits = value === null || value === undefined || (value >= least && value <= most);
    return fits ? [] : [{ field, message: `must be from ${least} to ${most}` }];
  });
}

/** What changes: null counts for a setting that may be missing. */
function changesIn(input: SettingChanges): Map<SettingName, number | null> {
  const changes = new Map<SettingName, number | null>();
  for (const [name, setting] of settingEntries) {
    const value = input[name];
    if (value !== undefined && (value !== null || isOptional(setting))) changes.set(name, value);
  }
  return changes;
}
