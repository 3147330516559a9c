// Keeps the last lines of a program's output.
import type { Readable } from "node:stream";

const KEPT = 20;
const LONGEST_LINE = 1_000;

/** @returns a function that gives them, oldest first */
export function lastLinesOf(streams: readonly Readable[]): () => readonly string[] {
  const lines: string[] = [];
  const keep = (line: string): void => {
    if (line.trim() === "") return;
    lines.push(line.slice(0, LONGEST_LINE));
    if (lines.length > KEPT) lines.shift();
  };
  for (const stream of streams) {
    let begun = "";
    stream.on("data", (chunk: Buffer) => {
      const parts = (begun + chunk.toString()).split("\n");
      begun = parts.pop() ?? "";
      for (const line of parts) keep(line);
    });
    stream.on("end", () => keep(begun));
  }
  return () => lines;
}
