// Knows what a firewall's rules may refer to: aliases and sets of the guest and of its cluster.
import type { ApiAnswer } from "../api.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { PlatformState } from "../state/platform.js";
import { atLeast } from "../version.js";
import type { FirewallFile, Rule } from "./file.js";
import { parseFirewall } from "./file.js";

/** @returns by part of the rule what it names that is not there; null: nothing. Whether a security group is there is not looked at. */
export function ruleComplaints(
  { firewall }: Pick<PlatformState, "firewall">,
  own: FirewallFile,
  rule: Rule,
): Record<string, string> | null {
  const files = [own, parseFirewall(firewall)];
  const complaints: Record<string, string> = {};
  for (const part of ["source", "dest"]) {
    const value = rule[part];
    if (value === undefined) continue;
    const [, set] = /^\+(?:guest\/|dc\/|sdn\/)?([A-Za-z][\w-]+)$/.exec(value) ?? [];
    const [, alias] = /^(?:guest\/|dc\/)?([A-Za-z][\w-]+)$/.exec(value) ?? [];
    if (set !== undefined && !files.some(({ sets }) => sets.some(({ name }) => name === set)))
      complaints[part] = `no such ipset '${set}'`;
    if (alias !== undefined && !files.some(({ aliases }) => aliases.some(({ name }) => isSame(name, alias))))
      complaints[part] = `no such alias '${value}'`;
  }
  return Object.keys(complaints).length === 0 ? null : complaints;
}

const isSame = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase();

/** `GET /cluster/firewall/refs`: what rules of any guest may refer to. */
export function listReferences({ platform }: Call): ApiAnswer {
  const { aliases, sets } = parseFirewall(platform.state.firewall);
  const scoped = atLeast(platform.release, "8.4");
  const row = (type: string, name: string) => ({
    type,
    name,
    ref: `${type === "ipset" ? "+" : ""}${scoped ? "dc/" : ""}${name}`,
    ...(scoped ? { scope: "dc" } : {}),
  });
  return answer([...aliases.map(({ name }) => row("alias", name)), ...sets.map(({ name }) => row("ipset", name))]);
}

/** `GET /cluster/firewall/options`: those that are set. */
export function readClusterOptions({ platform }: Call): ApiAnswer {
  const { options } = parseFirewall(platform.state.firewall);
  const { enable, ...others } = options;
  return answer({ ...others, ...(enable === undefined ? {} : { enable: Number(enable) }) });
}

/** `GET /cluster/firewall/groups`. */
export const listGroups = ({ platform }: Call): ApiAnswer =>
  answer(parseFirewall(platform.state.firewall).groups.map((group) => ({ group })));
