// Benchmark: a page of guests over REST v1 beside hand-written handlers on the same rows, in turns.
import assert from "node:assert/strict";
import type { Pool } from "pg";
import { fillGuests, PAGE_PATH } from "./guestList.js";
import { median } from "./statistics.js";
import { Variant, type Load, type Measurement } from "./variant.js";

const NAMES = ["bare", "tuned", "passthrough", "drover"] as const;
type Name = (typeof NAMES)[number];

const CONNECTIONS = 16;

export interface GuestBenchOptions {
  readonly rounds: number;
  readonly seconds: number;
}

export interface VariantResult extends Measurement {
  readonly name: Name;
  /** Median over the rounds of this variant's requests a second divided by the bare one's of the same round. */
  readonly ratioToBare: number;
}

/** Runs the variants in turns, so that whatever else the machine does meets them alike. */
export async function benchGuests(
  { url, pool }: { readonly url: string; readonly pool: Pool },
  { rounds, seconds }: GuestBenchOptions,
): Promise<VariantResult[]> {
  const load: Load = { path: PAGE_PATH, token: await fillGuests(pool), connections: CONNECTIONS, seconds };
  const variants = await Promise.all(NAMES.map((name) => Variant.start(name, url)));
  try {
    await compareAnswers(variants, load);
    for (const variant of variants) await variant.measure({ ...load, seconds: 2 });
    const measured: Measurement[][] = [];
    for (let round = 0; round < rounds; round++) measured.push(await oneRound(variants, load));
    return NAMES.map((name, index) => resultOf(name, index, measured));
  } finally {
    await Promise.all(variants.map((variant) => variant.stop()));
  }
}

/** What is compared must do the same work. */
async function compareAnswers(variants: readonly Variant[], load: Load): Promise<void> {
  const [first, ...others] = await Promise.all(variants.map((variant) => variant.answer(load)));
  for (const other of others) assert.deepEqual(other, first, "all variants give the same answer");
}

async function oneRound(variants: readonly Variant[], load: Load): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const variant of variants) measurements.push(await variant.measure(load));
  return measurements;
}

function resultOf(name: Name, index: number, rounds: readonly (readonly Measurement[])[]): VariantResult {
  const own = rounds.flatMap((round) => round[index] ?? []);
  const ratios = rounds.map((round) => (round[index]?.requestsPerSecond ?? 0) / (round[0]?.requestsPerSecond ?? 1));
  const of = (figure: keyof Measurement): number => median(own.map((measurement) => measurement[figure]));
  return {
    name,
    requestsPerSecond: of("requestsPerSecond"),
    p50Ms: of("p50Ms"),
    p99Ms: of("p99Ms"),
    cpuMicroseconds: of("cpuMicroseconds"),
    ratioToBare: median(ratios),
  };
}
