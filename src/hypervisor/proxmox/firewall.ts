// Reads and writes a guest's own firewall: the platform removes it together with the guest.
import { z } from "zod";
import {
  isSameFirewall,
  type FirewallAlias,
  type FirewallSet,
  type FirewallSetEntry,
  type GuestFirewall,
} from "../firewall.js";
import type { GuestAddress } from "../guest.js";
import type { Ask } from "./client.js";
import { guestPath } from "./guests.js";
import { figureIn } from "./figures.js";
import { flag, isRecord, listOf, record, records, text, textIn, textOrNull, understand } from "./parse.js";
import { apiPath, type ApiParameters } from "./path.js";
import { NOTHING, unlessUnknown } from "./refusedAnswer.js";

const aliasesAnswer = listOf(z.object({ name: text, cidr: text, comment: textOrNull }));
const setsAnswer = listOf(z.object({ name: text, comment: textOrNull }));
const entriesAnswer = listOf(z.object({ cidr: text, nomatch: flag, comment: textOrNull }));

/** What can be said of a rule when it is made. */
const RULE_PARTS = "type action macro enable iface source dest proto dport sport icmp-type log comment".split(" ");

const OPTIONS = "enable dhcp ndp radv macfilter ipfilter policy_in policy_out log_level_in log_level_out".split(" ");

const firewallPath = (guest: GuestAddress): string => `${guestPath(guest)}/firewall`;

/** A host that does not know the questions filters nothing. */
export async function readFirewall(ask: Ask, guest: GuestAddress): Promise<GuestFirewall> {
  const path = firewallPath(guest);
  const [options, aliases, sets, rules] = await Promise.all([
    readOptions(ask, path),
    readAliases(ask, path),
    readSets(ask, path),
    readRules(ask, path),
  ]);
  return { options, aliases, sets, ...rules };
}

async function readOptions(ask: Ask, path: string): Promise<Record<string, string>> {
  const question = ask({ method: "GET", path: `${path}/options` });
  const { data, source } = await unlessUnknown(question, () => ({ ...NOTHING, data: {} }));
  return texts(record(data ?? {}, source), OPTIONS);
}

async function readAliases(ask: Ask, path: string): Promise<FirewallAlias[]> {
  const { data, source } = await unlessUnknown(ask({ method: "GET", path: `${path}/aliases` }), () => NOTHING);
  return understand(aliasesAnswer, data, source).toSorted(byName);
}

async function readSets(ask: Ask, path: string): Promise<FirewallSet[]> {
  const { data, source } = await unlessUnknown(ask({ method: "GET", path: `${path}/ipset` }), () => NOTHING);
  const sets = understand(setsAnswer, data, source).toSorted(byName);
  return Promise.all(sets.map(async (set) => ({ ...set, entries: await readEntries(ask, path, set.name) })));
}

async function readEntries(ask: Ask, path: string, name: string): Promise<FirewallSetEntry[]> {
  const { data, source } = await ask({ method: "GET", path: path + apiPath`/ipset/${name}` });
  return understand(entriesAnswer, data, source)
    .map(({ cidr, nomatch, comment }) => ({ cidr, excluded: nomatch, comment }))
    .toSorted((left, right) => compare(left.cidr, right.cidr));
}

async function readRules(ask: Ask, path: string): Promise<Pick<GuestFirewall, "rules" | "complaints">> {
  const { data, source } = await unlessUnknown(ask({ method: "GET", path: `${path}/rules` }), () => NOTHING);
  const rows = records(data, source).toSorted(
    (left, right) => (figureIn(left["pos"], "count") ?? 0) - (figureIn(right["pos"], "count") ?? 0),
  );
  return {
    rules: rows.map((row) => texts(row, RULE_PARTS)),
    complaints: rows.flatMap(({ errors }) =>
      isRecord(errors) ? Object.values(errors).flatMap((one) => textIn(one) ?? []) : [],
    ),
  };
}

const byName = (left: { readonly name: string }, right: { readonly name: string }): number =>
  compare(left.name, right.name);

const compare = (left: string, right: string): number => (left < right ? -1 : Number(left > right));

/** Those of the named values that there are: what else an answer holds could not be written. */
function texts(values: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, string> {
  const known = names.flatMap((key) => {
    const value = values[key];
    const found = typeof value === "boolean" ? String(Number(value)) : textIn(value);
    return found === null ? [] : [[key, found] as const];
  });
  return Object.fromEntries(known);
}

/** What is there goes first, whatever an earlier attempt or a template has left. Rules name sets, and sets aliases: so these come before. */
export async function writeFirewall(ask: Ask, guest: GuestAddress, wanted: GuestFirewall): Promise<void> {
  const present = await readFirewall(ask, guest);
  if (isSameFirewall(present, wanted)) return;
  const path = firewallPath(guest);
  await clear(ask, path, present);
  for (const alias of wanted.aliases) await add(ask, `${path}/aliases`, commented(alias));
  for (const { entries, ...set } of wanted.sets) {
    await add(ask, `${path}/ipset`, commented(set));
    for (const { excluded, ...entry } of entries)
      await add(ask, path + apiPath`/ipset/${set.name}`, { ...commented(entry), ...(excluded && { nomatch: true }) });
  }
  // A new rule becomes the first.
  for (const rule of wanted.rules.toReversed()) await add(ask, `${path}/rules`, rule);
  if (Object.keys(wanted.options).length > 0)
    await ask({ method: "PUT", path: `${path}/options`, parameters: wanted.options });
}

async function clear(ask: Ask, path: string, { options, aliases, sets, rules }: GuestFirewall): Promise<void> {
  for (const _ of rules) await ask({ method: "DELETE", path: `${path}/rules/0` });
  for (const { name } of sets)
    await ask({ method: "DELETE", path: path + apiPath`/ipset/${name}`, parameters: { force: true } });
  for (const { name } of aliases) await ask({ method: "DELETE", path: path + apiPath`/aliases/${name}` });
  const set = Object.keys(options);
  if (set.length > 0) await ask({ method: "PUT", path: `${path}/options`, parameters: { delete: set.join(",") } });
}

const add = (ask: Ask, path: string, parameters: ApiParameters): Promise<unknown> =>
  ask({ method: "POST", path, parameters });

const commented = <Thing extends { readonly comment: string | null }>({ comment, ...thing }: Thing) => ({
  ...thing,
  comment: comment ?? undefined,
});
