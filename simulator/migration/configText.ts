// Writes and reads a guest's configuration as the text that goes through a migration tunnel.
import type { ConfigValues } from "../state/guest.js";

/** Sorted `key: value` lines; the description stands before them as comments. */
export function writeConfig(config: ConfigValues): string {
  const { description, ...others } = config;
  const comments =
    description === undefined
      ? []
      : description
          .replace(/\n$/, "")
          .split("\n")
          .map((line) => `#${encodeComment(line)}`);
  const lines = Object.entries(others)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value}`);
  return [...comments, ...lines].map((line) => `${line}\n`).join("");
}

/** The reverse; lines that are no settings (raw container lines) are left out. */
export function readConfig(text: string): ConfigValues {
  const config: ConfigValues = {};
  const comments: string[] = [];
  for (const line of text.split("\n")) {
    const [, key, value] = /^([a-z][\w-]*):\s*(.*)$/.exec(line) ?? [];
    if (line.startsWith("#")) comments.push(decodeURIComponent(line.slice(1)));
    else if (key !== undefined && value !== undefined) config[key] = value;
  }
  return comments.length === 0 ? config : { ...config, description: comments.join("\n") };
}

function encodeComment(line: string): string {
  return line.replaceAll(/[%\r]|[^\t\x20-\x7e]/gu, (character) => encodeURIComponent(character));
}
