// Works out how fast bytes come in from two readings of how many there are.
import { useEffect, useRef, useState } from "react";

/** Readings of the last so many milliseconds count. */
const WINDOW_MS = 10_000;

interface Reading {
  readonly at: number;
  readonly bytes: number;
}

/** Bytes a second over the last seconds; null until there are two readings. */
export function useRate(bytes: number | null): number | null {
  const readings = useRef<Reading[]>([]);
  const [rate, setRate] = useState<number | null>(null);
  useEffect(() => {
    if (bytes === null) return;
    const at = performance.now();
    const last = readings.current.at(-1);
    // Begun anew: what was copied before does not count.
    if (last !== undefined && bytes < last.bytes) readings.current = [];
    readings.current = [...readings.current.filter((each) => at - each.at < WINDOW_MS), { at, bytes }];
    const [first] = readings.current;
    if (first !== undefined && at - first.at > 0) setRate(((bytes - first.bytes) / (at - first.at)) * 1000);
  }, [bytes]);
  return rate;
}
