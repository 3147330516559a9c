// Reads and writes a firewall's file below /etc/pve/firewall: options, aliases, sets of addresses, rules, a cluster's security groups.

/** A rule by the names that the API gives its parts; `enable` is `1` or `0`. */
export type Rule = Record<string, string>;

interface Alias {
  name: string;
  cidr: string;
  comment?: string;
}

interface SetEntry {
  cidr: string;
  nomatch?: 1;
  comment?: string;
}

export interface AddressSet {
  name: string;
  comment?: string;
  entries: SetEntry[];
}

export interface FirewallFile {
  options: Record<string, string>;
  aliases: Alias[];
  sets: AddressSet[];
  rules: Rule[];
  /** Names of security groups; a cluster's only. */
  groups: string[];
}

/** The switch of each part of a rule, in the order in which they are written. */
const SWITCHES: Readonly<Record<string, string>> = {
  iface: "i",
  source: "source",
  dest: "dest",
  proto: "p",
  dport: "dport",
  sport: "sport",
  "icmp-type": "icmp-type",
  log: "log",
};
const PART_OF_SWITCH = new Map(Object.entries(SWITCHES).map(([part, name]) => [name, part]));

/** @param text null: there is no file */
export function parseFirewall(text: string | null): FirewallFile {
  const file: FirewallFile = { options: {}, aliases: [], sets: [], rules: [], groups: [] };
  let read: ((line: string) => void) | null = null;
  for (const line of (text ?? "").split("\n").map((one) => one.trim())) {
    const [, section, name = "", comment] = /^\[(\w+)(?: ([^\]]+))?\](?:\s*#\s*(.*))?$/.exec(line) ?? [];
    if (section !== undefined) read = sectionReader(file, { section, name, comment });
    else if (line !== "") read?.(line);
  }
  return file;
}

interface Section {
  section: string;
  name: string;
  comment: string | undefined;
}

function sectionReader(file: FirewallFile, { section, name, comment }: Section): (line: string) => void {
  switch (section.toUpperCase()) {
    case "OPTIONS":
      return (line) => {
        const [key = "", value = ""] = line.split(/:\s*/, 2);
        file.options[key] = value;
      };
    case "ALIASES":
      return (line) => file.aliases.push(parseAlias(line));
    case "IPSET": {
      const set: AddressSet = { name, ...commented(comment), entries: [] };
      file.sets.push(set);
      return (line) => set.entries.push(parseEntry(line));
    }
    case "GROUP":
      file.groups.push(name);
      return () => {};
    default:
      return (line) => file.rules.push(parseRule(line));
  }
}

const commented = (comment: string | undefined): { comment?: string } =>
  comment === undefined || comment === "" ? {} : { comment };

function splitComment(line: string): { words: string[]; comment?: string } {
  const [, text = "", comment] = /^([^#]*)(?:#\s*(.*))?$/.exec(line) ?? [];
  return { words: text.trim().split(/\s+/), ...commented(comment) };
}

function parseAlias(line: string): Alias {
  const { words, ...rest } = splitComment(line);
  return { name: words[0] ?? "", cidr: words[1] ?? "", ...rest };
}

function parseEntry(line: string): SetEntry {
  const { words, ...rest } = splitComment(line);
  const cidr = words.join("");
  return cidr.startsWith("!") ? { cidr: cidr.slice(1), nomatch: 1, ...rest } : { cidr, ...rest };
}

function parseRule(line: string): Rule {
  const { words, comment } = splitComment(line.replace(/^\|/, ""));
  const [type = "", target = "", ...parts] = words;
  const [, macro, action] = /^(.+)\((.+)\)$/.exec(target) ?? [];
  const rule: Rule = { type: type.toLowerCase(), action: action ?? target, enable: line.startsWith("|") ? "0" : "1" };
  if (macro !== undefined) rule.macro = macro;
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const part = PART_OF_SWITCH.get((parts[index] ?? "").replace(/^-/, ""));
    if (part !== undefined) rule[part] = parts[index + 1] ?? "";
  }
  return comment === undefined ? rule : { ...rule, comment };
}

/** @returns null when nothing is left: then the file is removed */
export function printFirewall({ options, aliases, sets, rules }: FirewallFile): string | null {
  const sections = [
    section(
      "OPTIONS",
      Object.entries(options).map(([key, value]) => `${key}: ${value}`),
    ),
    section(
      "ALIASES",
      aliases.map(({ name, cidr, comment }) => `${name} ${cidr}${remark(comment)}`),
    ),
    ...sets.map(
      ({ name, comment, entries }) => `[IPSET ${name}]${remark(comment)}\n\n${entries.map(printEntry).join("")}`,
    ),
    section("RULES", rules.map(printRule)),
  ].filter((text) => text !== "");
  return sections.length === 0 ? null : sections.join("\n");
}

const section = (name: string, lines: string[]): string =>
  lines.length === 0 ? "" : `[${name}]\n\n${lines.map((line) => `${line}\n`).join("")}`;

const remark = (comment: string | undefined): string => (comment === undefined ? "" : ` # ${comment}`);

const printEntry = ({ cidr, nomatch, comment }: SetEntry): string =>
  `${nomatch === 1 ? "!" : ""}${cidr}${remark(comment)}\n`;

function printRule({ type = "", action = "", macro, enable, comment, ...parts }: Rule): string {
  const target = macro === undefined ? action : `${macro}(${action})`;
  const switches = Object.entries(SWITCHES).flatMap(([part, name]) =>
    parts[part] === undefined ? [] : [`-${name} ${parts[part]}`],
  );
  return `${enable === "0" ? "|" : ""}${[type.toUpperCase(), target, ...switches].join(" ")}${remark(comment)}`;
}
