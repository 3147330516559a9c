// Shows at once what somebody asked for, until it is read again, or until it is refused.
import { useEffect, useRef, useState } from "react";

interface Hope<Row> {
  readonly part: Partial<Row>;
  /** The row as it was read when the service had agreed; null while it is asked. */
  readonly agreedOver: Row | null;
}

/** Changes a part of the row with this id on screen and asks for it; `ask` resolves with null when it is refused. */
export type HopeFor<Row> = (id: number, part: Partial<Row>, ask: () => Promise<unknown>) => Promise<void>;

/**
 * For what cannot surprise: switches, names, ends. A refusal puts the row back as it is; the asking itself tells the reason.
 * What the service agreed to stays until the row has been read anew: then that is what holds, also if others changed it.
 */
export function useHopes<Row extends { readonly id: number }>(rows: readonly Row[]): [readonly Row[], HopeFor<Row>] {
  const [hopes, setHopes] = useState<ReadonlyMap<number, Hope<Row>>>(new Map());
  const latest = useRef(rows);
  latest.current = rows;
  const rowOf = (id: number): Row | undefined => latest.current.find((row) => row.id === id);
  const keep = (id: number, hope: Hope<Row> | null): void =>
    setHopes((before) => {
      const after = new Map(before);
      if (hope === null) after.delete(id);
      else after.set(id, hope);
      return after;
    });

  useEffect(() => {
    for (const [id, { agreedOver }] of hopes) {
      if (agreedOver !== null && rowOf(id) !== agreedOver) keep(id, null);
    }
  });

  const hopeFor: HopeFor<Row> = async (id, part, ask) => {
    keep(id, { part, agreedOver: null });
    const agreed = (await ask()) !== null;
    keep(id, agreed ? { part, agreedOver: rowOf(id) ?? null } : null);
  };
  return [rows.map((row) => ({ ...row, ...hopes.get(row.id)?.part })), hopeFor];
}
