// Changes the operator's settings.
import { permit, permitEverywhere } from "../access/permit.js";
import type { Context } from "../context/context.js";
import { Permission } from "../core/access/permissions.js";
import type { Problem } from "../core/problem.js";
import { isOptional, settingEntries, type SettingName, type SettingChanges } from "../core/settings.js";
import { validationError } from "../errors/errors.js";
import * as sessions from "../store/session.js";
import * as settings from "../store/setting.js";

/** @throws DroverError `forbidden`, `validation` that names every offending field; then nothing is changed */
export async function updateSettings(context: Context, input: SettingChanges): Promise<void> {
  permit(context, Permission.HOSTS_MANAGE);
  permitEverywhere(context, "Settings");
  const problems = problemsOf(input);
  if (problems.length > 0) throw validationError(problems);
  const { pool } = context;
  const changes = changesIn(input);
  if (changes.has("sessionIdleMinutes")) await endIdleSessions(context);
  if (changes.size > 0 && !(await settings.change(pool, changes))) throw validationError(WEIGHTLESS);
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
