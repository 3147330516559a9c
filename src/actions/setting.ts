// Changes the operator's settings.
import { permit, permitEverywhere } from "../access/permit.js";
import type { Context } from "../context/context.js";
import { Permission } from "../core/access/permissions.js";
import type { Problem } from "../core/problem.js";
import { validationError } from "../errors/errors.js";

/** What can be set. Null and what is left out stay as they are, except that a null bandwidth removes the limit. */
export interface SettingsInput {
  readonly ramWeight?: number | null;
  readonly cpuWeight?: number | null;
  readonly storageWeight?: number | null;
  readonly ramThresholdPercent?: number | null;
  readonly cpuThresholdPercent?: number | null;
  /** Most suggestions of one balance report. */
  readonly maxSuggestions?: number | null;
  readonly safetyCopyRetentionDays?: number | null;
  readonly requestLogRetentionDays?: number | null;
  readonly addressHistoryRetentionDays?: number | null;
  /** MiB a second. */
  readonly migrationBandwidthMib?: number | null;
}

interface Range {
  readonly least: number;
  readonly most: number;
}

const WEIGHT: Range = { least: 0, most: 1_000_000 };
const PERCENT: Range = { least: 1, most: 100 };
const LONGEST_RETENTION_DAYS = 3_650;

const RANGES = {
  ramWeight: WEIGHT,
  cpuWeight: WEIGHT,
  storageWeight: WEIGHT,
  ramThresholdPercent: PERCENT,
  cpuThresholdPercent: PERCENT,
  maxSuggestions: { least: 1, most: 1_000 },
  safetyCopyRetentionDays: { least: 0, most: LONGEST_RETENTION_DAYS },
  requestLogRetentionDays: { least: 1, most: LONGEST_RETENTION_DAYS },
  addressHistoryRetentionDays: { least: 1, most: LONGEST_RETENTION_DAYS },
  migrationBandwidthMib: { least: 1, most: 1_000_000 },
} as const satisfies Record<keyof SettingsInput, Range>;

/** @throws DroverError `forbidden`, `validation` that names every offending field; then nothing is changed */
export async function updateSettings({ viewer, pool }: Context, input: SettingsInput): Promise<void> {
  permit({ viewer }, Permission.HOSTS_MANAGE);
  permitEverywhere({ viewer }, "Settings");
  const problems = problemsOf(input);
  if (problems.length > 0) throw validationError(problems);
  const { rowCount } = await pool.query(UPDATE, [
    input.ramWeight,
    input.cpuWeight,
    input.storageWeight,
    input.ramThresholdPercent,
    input.cpuThresholdPercent,
    input.maxSuggestions,
    input.safetyCopyRetentionDays,
    input.requestLogRetentionDays,
    input.migrationBandwidthMib,
    input.migrationBandwidthMib !== undefined,
    input.addressHistoryRetentionDays,
  ]);
  if (rowCount === 0) throw validationError(WEIGHTLESS);
}

/** One statement, so that two changes at once never leave all weights at 0. */
const UPDATE = `
  update setting set
    ram_weight = coalesce($1, ram_weight),
    cpu_weight = coalesce($2, cpu_weight),
    storage_weight = coalesce($3, storage_weight),
    ram_threshold_percent = coalesce($4, ram_threshold_percent),
    cpu_threshold_percent = coalesce($5, cpu_threshold_percent),
    max_suggestions = coalesce($6, max_suggestions),
    safety_copy_retention_days = coalesce($7, safety_copy_retention_days),
    request_log_retention_days = coalesce($8, request_log_retention_days),
    address_history_retention_days = coalesce($11, address_history_retention_days),
    migration_bandwidth_mib = case when $10 then $9 else migration_bandwidth_mib end
  where coalesce($1, ram_weight) + coalesce($2, cpu_weight) + coalesce($3, storage_weight) > 0`;

const WEIGHTLESS: readonly Problem[] = ["ramWeight", "cpuWeight", "storageWeight"].map((field) => ({
  field,
  message: "cannot all be 0",
}));

function problemsOf(input: SettingsInput): Problem[] {
  const given: Readonly<Record<string, number | null | undefined>> = { ...input };
  return Object.entries(RANGES).flatMap(([field, { least, most }]) => {
    const value = given[field];
    const fits = value === null || value === undefined || (value >= least && value <= most);
    return fits ? [] : [{ field, message: `must be from ${least} to ${most}` }];
  });
}
