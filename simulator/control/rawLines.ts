// Reads the raw lines of a container's configuration from an order: as Proxmox VE's API shows them, or as its file has them.
import { z } from "zod";

/** A key of LXC's own and its value. */
type RawLine = [key: string, value: string];

const fileLine = /^\s*(lxc\.[^\s:=]+)\s*[:=]\s*(.*?)\s*$/;

const fromFile = z.string().transform((text, context): RawLine => {
  const [, key, value] = fileLine.exec(text) ?? [];
  if (key !== undefined && value !== undefined) return [key, value];
  context.issues.push({ code: "custom", message: "is no line such as lxc.apparmor.profile: unconfined", input: text });
  return z.NEVER;
});

const rawLine = z.union([z.tuple([z.string(), z.string()]), fromFile]);

/** `config.lxc` of an order: pairs, or lines of the file. */
export const rawLinesSchema = z.union([z.array(rawLine), fromFile.transform((line) => [line])]);

const isRawKey = (key: string): boolean => key.startsWith("lxc.");

/** @returns the raw lines among configuration keys, and the other keys */
export function takeRawLines<Value>(config: Readonly<Record<string, Value>>): {
  readonly lines: readonly RawLine[];
  readonly others: Record<string, Value>;
} {
  const entries = Object.entries(config);
  return {
    lines: entries.filter(([key]) => isRawKey(key)).map(([key, value]) => [key, String(value)]),
    others: Object.fromEntries(entries.filter(([key]) => !isRawKey(key))),
  };
}
