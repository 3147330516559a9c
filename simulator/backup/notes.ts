// Checks and fills in the template of a backup's notes.
import type { Platform } from "../platform.js";
import type { Guest } from "../state/guest.js";

const variables = ["cluster", "guestname", "node", "vmid"];

/** What is wrong with a template, or null. */
export function templateProblem(template: string): string | null {
  if (template.includes("\n")) return "contains a line feed\n";
  const found: string[] = [];
  for (const match of template.matchAll(/\\(.)/g))
    if (!/[n\\]/.test(match[1] ?? "")) found.push(`escape sequence '${match[0]}' at char ${match.index}`);
  for (const match of template.matchAll(/\{\{([^{}]+)\}\}/g)) {
    const [whole, name = ""] = match;
    if (!variables.includes(name)) found.push(`variable '${name}' at char ${match.index + whole.length - name.length}`);
  }
  return found.length === 0 ? null : `found unknown: ${found.join(", ")}\n`;
}

/** The notes of one guest's backup. */
export function fillTemplate(platform: Platform, guest: Guest, template: string): string {
  const values: Record<string, string> = {
    cluster: platform.state.clusterName ?? "standalone node",
    guestname: guest.config.name ?? guest.config.hostname ?? String(guest.vmid),
    node: guest.node,
    vmid: String(guest.vmid),
  };
  const text = template.replaceAll(/\\(.)/g, (_, character: string) => (character === "n" ? "\n" : character));
  return text.replaceAll(/\{\{([^{}]+)\}\}/g, (whole, name: string) => values[name] ?? whole);
}
