// Texts of the settings.
import type { SettingName } from "../../src/core/settings.js";

export const texts = {
  title: "Settings",
  save: "Save",
  saved: "Settings saved.",
  failed: "The settings could not be saved",
  discard: "Discard",
  secondFactorRoles: "Roles that need a second factor",
  secondFactorNote: "People of these roles without one may only set one up. Set up your own first.",
  numberMissing: "Enter a number",
  outOfRange: (least: number, most: number) => `Enter a number from ${least} to ${most}`,
};

interface Shown {
  readonly section: keyof typeof sections;
  readonly label: string;
  readonly description?: string;
  /** What holds where nothing is entered. */
  readonly none?: string;
}

export const sections = {
  balancing: { title: "Load balancing" },
  placement: { title: "Placement", note: "Only the ratio of the weights matters." },
  migrations: { title: "Migrations" },
  guests: { title: "Creating guests" },
  retention: { title: "Data retention" },
  sessions: { title: "Signing in" },
};

/** Every setting, with its section of the page. */
export const settings: Readonly<Record<SettingName, Shown>> = {
  cpuThresholdPercent: {
    section: "balancing",
    label: "CPU threshold (%)",
    description: "A node with a higher 30-minute average is overloaded.",
  },
  ramThresholdPercent: {
    section: "balancing",
    label: "RAM threshold (%)",
    description: "A node with a higher RAM usage is overloaded.",
  },
  maxSuggestions: { section: "balancing", label: "Maximum recommendations per report" },
  ramWeight: { section: "placement", label: "Weight of free RAM" },
  cpuWeight: { section: "placement", label: "Weight of idle CPU" },
  storageWeight: { section: "placement", label: "Weight of free storage" },
  migrationBandwidthMib: {
    section: "migrations",
    label: "Bandwidth limit per migration (MiB/s)",
    none: "Proxmox VE default",
  },
  safetyCopyRetentionDays: { section: "migrations", label: "Safety copy retention (days)" },
  clonesPerTemplate: { section: "guests", label: "Concurrent clones per template" },
  lockWaitSeconds: {
    section: "guests",
    label: "Lock wait (s)",
    description: "For this long, a job retries what Proxmox VE refuses because a guest is locked.",
  },
  requestLogRetentionDays: { section: "retention", label: "Request log retention (days)" },
  requestLogMaxMb: {
    section: "retention",
    label: "Request log size limit (MiB)",
    description: "Beyond it, the oldest days are dropped.",
  },
  addressHistoryRetentionDays: { section: "retention", label: "IP address history retention (days)" },
  sessionHours: {
    section: "sessions",
    label: "Session lifetime (hours)",
    description: "For sessions that start from now on.",
  },
  rememberedSessionDays: {
    section: "sessions",
    label: "Lifetime with “Stay signed in” (days)",
    description: "For sessions that start from now on.",
  },
  sessionIdleMinutes: {
    section: "sessions",
    label: "Idle timeout (minutes)",
    description: "A session that is unused for this long ends. An open page of the panel counts as use.",
    none: "None",
  },
};
