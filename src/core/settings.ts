// The operator's settings, one entry each. The entity, the action, the read, both GraphQL types, the panel's form and the table in
// docs/operating.md are made from it or checked against it.

import type { UserRole } from "./enums.js";

export interface Setting {
  /** Null: there is none, and the platform's own value holds. */
  readonly initial: number | null;
  /** Whether it is a whole number. */
  readonly whole: boolean;
  readonly least: number;
  readonly most: number;
  readonly unit: "weight" | "percent" | "days" | "seconds" | "MiB" | "MiB/s" | "rows" | "clones" | "minutes" | "hours";
  /** What it is, as the GraphQL type describes it. */
  readonly text: string;
  /** The same with its range, as the GraphQL input describes it. */
  readonly inputText: string;
}

const WEIGHT = { whole: false, least: 0, most: 1_000_000, unit: "weight" } as const;
const PERCENT = { whole: false, least: 1, most: 100, unit: "percent" } as const;
const DAYS = { whole: true, least: 1, most: 3_650, unit: "days" } as const;

export const SETTINGS = {
  ramWeight: {
    ...WEIGHT,
    initial: 0.5,
    text: "Weight of free RAM in placement; only the ratio of the weights matters.",
    inputText: "Weight of free RAM, 0 or more.",
  },
  cpuWeight: {
    ...WEIGHT,
    initial: 0.3,
    text: "Weight of idle CPU in placement.",
    inputText: "Weight of idle CPU, 0 or more.",
  },
  storageWeight: {
    ...WEIGHT,
    initial: 0.2,
    text: "Weight of free storage in placement.",
    inputText: "Weight of free storage, 0 or more.",
  },
  ramThresholdPercent: {
    ...PERCENT,
    initial: 80,
    text: "A node with more RAM in use is hot, percent.",
    inputText: "RAM threshold, above 0 up to 100 percent.",
  },
  cpuThresholdPercent: {
    ...PERCENT,
    initial: 85,
    text: "A node with a higher 30-minute CPU average is hot, percent.",
    inputText: "CPU threshold, above 0 up to 100 percent.",
  },
  maxSuggestions: {
    initial: 10,
    whole: true,
    least: 1,
    most: 1_000,
    unit: "rows",
    text: "Most balancing suggestions in one report.",
    inputText: "Most balancing suggestions in one report, at least 1.",
  },
  safetyCopyRetentionDays: {
    ...DAYS,
    least: 0,
    initial: 7,
    text: "Days that a safety copy is kept.",
    inputText: "Days that a safety copy is kept, 0 or more.",
  },
  requestLogRetentionDays: {
    ...DAYS,
    initial: 30,
    text: "Days that the request log is kept.",
    inputText: "Days that the request log is kept, at least 1.",
  },
  requestLogMaxMb: {
    initial: 20_480,
    whole: true,
    least: 64,
    most: 10_000_000,
    unit: "MiB",
    text: "Most disk that the request log takes, MiB; beyond it, its oldest days are dropped.",
    inputText: "Most disk that the request log takes, MiB, at least 64; beyond it, its oldest days are dropped.",
  },
  addressHistoryRetentionDays: {
    ...DAYS,
    initial: 365,
    text: "Days that it stays on record who held an address, after that has ended.",
    inputText: "Days that it stays on record who held an address, after that has ended; at least 1.",
  },
  migrationBandwidthMib: {
    initial: null,
    whole: true,
    least: 1,
    most: 1_000_000,
    unit: "MiB/s",
    text: "Most bandwidth of a migration, MiB/s; null: the platform's own.",
    inputText: "Most bandwidth of a migration, MiB/s, at least 1; null: the platform's own.",
  },
  lockWaitSeconds: {
    initial: 300,
    whole: true,
    least: 0,
    most: 3_600,
    unit: "seconds",
    text: "Seconds that a job waits for a lock of the platform, such as one that a backup holds.",
    inputText: "Seconds that a job waits for a lock of the platform, 0 to 3,600.",
  },
  clonesPerTemplate: {
    initial: 8,
    whole: true,
    least: 1,
    most: 1_000,
    unit: "clones",
    text: "Most clones of one template that a host makes at a time.",
    inputText: "Most clones of one template that a host makes at a time, at least 1.",
  },
  sessionHours: {
    initial: 12,
    whole: true,
    least: 1,
    most: 720,
    unit: "hours",
    text: "Hours that a person stays signed in.",
    inputText: "Hours that a person stays signed in, 1 to 720; of sessions that begin from now on.",
  },
  rememberedSessionDays: {
    ...DAYS,
    initial: 30,
    most: 365,
    text: "Days that a person stays signed in who asked for that.",
    inputText: "Days that a person stays signed in who asked for that, 1 to 365; of sessions that begin from now on.",
  },
  sessionIdleMinutes: {
    initial: null,
    whole: true,
    least: 5,
    most: 43_200,
    unit: "minutes",
    text: "Minutes without use after which a session ends, of the panel those without an open page; null: at its end alone.",
    inputText: "Minutes without use after which a session ends, 5 to 43,200; null: at its end alone.",
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;

/** What can be set. What is left out stays as it is; so does null, except that it removes a value that may be missing. */
export type SettingChanges = { readonly [Name in SettingName]?: number | null } & {
  /** The roles that need a second factor, all of them. */
  readonly secondFactorRoles?: readonly UserRole[] | null;
};

/** Every setting with its name. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a constant
export const settingEntries = Object.entries(SETTINGS) as readonly (readonly [SettingName, Setting])[];

/** @returns what `of` makes of each setting, by its name. */
export const bySetting = <Value>(of: (name: SettingName, setting: Setting) => Value): Record<SettingName, Value> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are those of the table
  Object.fromEntries(settingEntries.map(([name, setting]) => [name, of(name, setting)])) as Record<SettingName, Value>;

/** The column of the table `setting`, which is named as the ORM does. */
export const settingColumn = (name: SettingName): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const isOptional = ({ initial }: Setting): boolean => initial === null;
