// Compares stored rows with observed ones, so that a sync writes only what changed.

/** A stored row that is no longer true, with the names of the fields that changed. */
interface ChangedRow<Stored, Observed> {
  readonly stored: Stored;
  readonly observed: Observed;
  readonly fields: readonly string[];
}

/** What a sync has to write. */
interface Difference<Stored, Observed> {
  readonly inserts: readonly Observed[];
  readonly updates: readonly ChangedRow<Stored, Observed>[];
  readonly vanished: readonly Stored[];
}

/** How rows are matched. */
interface Matching<Stored, Observed> {
  /** The natural key, unique among the stored and among the observed rows, such as a VMID. */
  readonly keyOf: (row: Stored | Observed) => string | number;
  /** Says that two rows of one key are different things: the stored one vanished, the observed one is new. */
  readonly isAnother?: (stored: Stored, observed: Observed) => boolean;
}

/** @returns inserts, updates and vanished rows; only the fields of the observed rows are compared. */
export function diffRows<Stored extends object, Observed extends object>(
  stored: readonly Stored[],
  observed: readonly Observed[],
  { keyOf, isAnother = () => false }: Matching<Stored, Observed>,
): Difference<Stored, Observed> {
  const unseen = new Map(stored.map((row) => [keyOf(row), row]));
  const inserts: Observed[] = [];
  const updates: ChangedRow<Stored, Observed>[] = [];
  for (const row of observed) {
    const known = unseen.get(keyOf(row));
    if (known === undefined || isAnother(known, row)) {
      inserts.push(row);
      continue;
    }
    unseen.delete(keyOf(row));
    const fields = changedFields(known, row);
    if (fields.length > 0) updates.push({ stored: known, observed: row, fields });
  }
  return { inserts, updates, vanished: [...unseen.values()] };
}

const changedFields = (stored: object, observed: object): string[] =>
  Object.keys(observed).filter((field) => !isSameValue(fieldOf(stored, field), fieldOf(observed, field)));

const fieldOf = (row: object, field: string): unknown => Reflect.get(row, field);

/** Missing and null are the same: a database knows only null. */
function isSameValue(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (left === null || left === undefined) return right === null || right === undefined;
  if (left instanceof Date && right instanceof Date) return left.getTime() === right.getTime();
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => isSameValue(item, right[index]));
  }
  return isRecord(left) && isRecord(right) && isSameRecord(left, right);
}

function isSameRecord(left: object, right: object): boolean {
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...keys].every((key) => isSameValue(fieldOf(left, key), fieldOf(right, key)));
}

const isRecord = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
