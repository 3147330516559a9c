// Reads sizes as Proxmox VE writes them: `32G`, in binary units.
import { GIB, MIB } from "../../../core/units.js";
import { wholeFigureIn } from "../figures.js";

const UNIT_BYTES: Readonly<Record<string, number>> = { "": 1, K: 1024, M: MIB, G: GIB, T: 1024 * GIB };

/** @returns the bytes of a `size=` value: a number, a fraction too, with K, M, G, T or no unit (bytes); else null, also for more than there can be. */
export function parseSize(text: string): number | null {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)([KMGT])?$/i.exec(text.trim()) ?? [];
  const unitBytes = UNIT_BYTES[unit.toUpperCase()];
  return unitBytes === undefined ? null : wholeFigureIn(Number(amount) * unitBytes, "diskBytes");
}
