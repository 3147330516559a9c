// Reads and writes sizes with binary units (K, M, G, T), as in `size=32G`.

const units: Record<string, number> = { K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 };

/** Bytes, or null when the text is no size. */
export function parseSize(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)([KMGT])?(?:(?<=[KMGT])iB)?$/.exec(text);
  if (match === null) return null;
  return Math.trunc(Number(match[1]) * (units[match[2] ?? ""] ?? 1));
}

/** The shortest exact form: `1G`, `1536M`, `4M`, or plain bytes. */
export function formatSize(bytes: number): string {
  for (const unit of ["T", "G", "M", "K"]) {
    const size = units[unit] ?? 1;
    if (bytes !== 0 && bytes % size === 0) return `${bytes / size}${unit}`;
  }
  return bytes === 0 ? "0T" : String(bytes);
}
