// Chooses which backups a retention keeps, as Proxmox VE counts: each rule takes the newest of periods that no earlier rule covered.

/** A backup that a retention looks at. */
interface Candidate {
  volid: string;
  /** Seconds since the epoch. */
  ctime: number;
  protected: boolean;
}

const periods: readonly [rule: string, period: (date: Date) => string][] = [
  ["keep-hourly", (date) => `${day(date)} ${date.getHours()}`],
  ["keep-daily", day],
  ["keep-weekly", week],
  ["keep-monthly", (date) => `${date.getFullYear()}-${date.getMonth()}`],
  ["keep-yearly", (date) => String(date.getFullYear())],
];

function day(date: Date): string {
  return `${date.getFullYear()}-${date.getMonth()}-${date.getDate()}`;
}

/** ISO week: the one with the Thursday counts. */
function week(date: Date): string {
  const thursday = new Date(date);
  thursday.setDate(date.getDate() + 4 - (date.getDay() || 7));
  const first = new Date(thursday.getFullYear(), 0, 1);
  return `${thursday.getFullYear()}/${Math.ceil(((thursday.getTime() - first.getTime()) / 86_400_000 + 1) / 7)}`;
}

/** Rules of a `prune-backups` value: `keep-last` → 3. */
export function parseRetention(text: string): Record<string, number> {
  const pairs = text.split(",").map((part) => part.split("=", 2));
  return Object.fromEntries(pairs.flatMap(([name, value]) => (name ? [[name, Number(value ?? 0)] as const] : [])));
}

/** Backups that go; protected ones neither go nor count. No rule at all keeps everything. */
export function prunable(backups: readonly Candidate[], retention: Record<string, number>): Candidate[] {
  const rules = Object.entries(retention).filter(([name, count]) => name !== "keep-all" && count > 0);
  if (rules.length === 0 || (retention["keep-all"] ?? 0) === 1) return [];
  const newest = backups.filter((backup) => !backup.protected).toSorted((a, b) => b.ctime - a.ctime);
  const kept = new Set(newest.slice(0, retention["keep-last"] ?? 0));
  for (const [rule, period] of periods) keepPeriods(newest, kept, { period, count: retention[rule] ?? 0 });
  return newest.filter((backup) => !kept.has(backup));
}

function keepPeriods(
  newest: readonly Candidate[],
  kept: Set<Candidate>,
  rule: { period: (date: Date) => string; count: number },
): void {
  const periodOf = ({ ctime }: Candidate): string => rule.period(new Date(ctime * 1000));
  const covered = new Set([...kept].map(periodOf));
  const taken = new Set<string>();
  for (const backup of newest) {
    const period = periodOf(backup);
    if (taken.size >= rule.count) return;
    if (kept.has(backup) || covered.has(period) || taken.has(period)) continue;
    taken.add(period);
    kept.add(backup);
  }
}
