// Slows the copying of a simulated host down, so that a migration lasts as long as a test looks at it.
import assert from "node:assert/strict";
import { z } from "zod";
import { panel } from "../support/panel.js";

/** Of simulated time; a guest of the demo then needs more than an hour. */
const SLOW_BYTES_PER_SECOND = 1024 ** 2;

const state = z.object({ speed: z.object({ bytesPerSecond: z.number() }) });

/** Copies from this host stay slow until `look` has ended. */
export async function whileCopyingIsSlow(host: string, look: () => Promise<void>): Promise<void> {
  const control = panel.control(host);
  const { speed } = state.parse(await (await fetch(`${control}/state`)).json());
  await setSpeed(control, SLOW_BYTES_PER_SECOND);
  try {
    await look();
  } finally {
    await setSpeed(control, speed.bytesPerSecond);
  }
}

async function setSpeed(control: string, bytesPerSecond: number): Promise<void> {
  const { status } = await fetch(`${control}/speed`, { method: "POST", body: JSON.stringify({ bytesPerSecond }) });
  assert.equal(status, 200);
}
