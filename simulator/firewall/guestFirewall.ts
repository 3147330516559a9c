// Answers what is asked of a guest's own firewall and of the cluster's, and changes a guest's file as the API does.
import { createHash } from "node:crypto";
import type { ApiAnswer } from "../api.js";
import { failure, parameterError } from "../api.js";
import { guestOf } from "../guests/lookup.js";
import { splitList } from "../parameters/lists.js";
import type { Call, Handler } from "../route.js";
import { answer } from "../route.js";
import type { GuestType } from "../state/guest.js";
import type { AddressSet, FirewallFile, Rule } from "./file.js";
import { parseFirewall, printFirewall } from "./file.js";
import { ruleComplaints } from "./references.js";
import { familyOf, formComplaints } from "./ruleForm.js";

const digestOf = (value: unknown): string => createHash("sha1").update(JSON.stringify(value)).digest("hex");

/** Whose firewall a path is about. */
type Owner = GuestType | "cluster";

const readFile = (call: Call, owner: Owner): FirewallFile =>
  parseFirewall(owner === "cluster" ? call.platform.state.firewall : guestOf(call, owner).firewall);

/** A handler that changes the file. */
const changing =
  (change: (file: FirewallFile, call: Call) => void) =>
  (type: GuestType): Handler =>
  (call) => {
    const guest = guestOf(call, type);
    const file = parseFirewall(guest.firewall);
    change(file, call);
    guest.firewall = printFirewall(file);
    return answer(null);
  };

const asNumber = (value: string): string | number => (/^\d+$/.test(value) ? Number(value) : value);

/** A rule that names what is not there is told with its errors; it is not applied. */
export const listRules =
  (owner: Owner) =>
  (call: Call): ApiAnswer => {
    const file = readFile(call, owner);
    const digest = digestOf(file.rules);
    const rows = file.rules.map((rule, pos) => {
      const errors = ruleComplaints(call.platform.state, file, rule);
      return { ...shownRule(rule), pos, digest, ...(errors === null ? {} : { errors }) };
    });
    return answer(rows);
  };

/** The family of addresses shows where a rule names any, or a protocol that has one. */
function shownRule(rule: Rule): Record<string, unknown> {
  const family = familyOf(rule.source ?? "") ?? familyOf(rule.dest ?? "") ?? (rule.proto === "icmp" ? 4 : null);
  return { ...rule, enable: Number(rule.enable), ...(family === null ? {} : { ipversion: family }) };
}

/** `GET …/rules/{pos}`: its position comes back as it was asked for. */
export const readRule =
  (owner: Owner) =>
  (call: Call): ApiAnswer => {
    const { rules } = readFile(call, owner);
    const pos = call.parameters.text("pos");
    const rule = rules[Number(pos)];
    if (rule === undefined) throw failure(`no rule at position ${pos}`);
    return answer({ ...shownRule(rule), pos, digest: digestOf(rules) });
  };

/** `PUT …/rules/{pos}`: moves a rule, or changes and removes parts of it. */
export const changeRule = changing((file, call) => {
  const { pos = "0", moveto, delete: removed = "", digest, node: _node, vmid: _vmid, ...set } = call.parameters.values;
  if (digest !== undefined && digest !== digestOf(file.rules))
    throw failure("detected modified configuration - file changed by other user? Try again.");
  const position = Number(pos);
  const before = file.rules[position];
  if (before === undefined) throw failure(`no rule at position ${pos}`);
  if (moveto !== undefined) {
    // A rule goes before the one that stands at the new place now.
    const target = Number(moveto);
    file.rules.splice(position, 1);
    file.rules.splice(target > position ? target - 1 : target, 0, before);
    return;
  }
  const gone = new Set(splitList(removed));
  const kept = Object.entries(before).filter(([part]) => !gone.has(part));
  const rule: Rule = { ...Object.fromEntries(kept), ...set };
  const errors = formComplaints(rule) ?? ruleComplaints(call.platform.state, file, rule);
  if (errors !== null) throw parameterError(errors);
  file.rules[position] = rule;
});

/** The new rule is the first, whatever position is asked for; it is off unless it is said to be on. */
export const createRule = changing((file, call) => {
  const { pos: _, digest: _digest, node: _node, vmid: _vmid, ...given } = call.parameters.values;
  const rule: Rule = { ...given, enable: given["enable"] === undefined || given["enable"] === "0" ? "0" : "1" };
  const errors = formComplaints(rule) ?? ruleComplaints(call.platform.state, file, rule);
  if (errors !== null) throw parameterError(errors);
  file.rules.unshift(rule);
});

export const deleteRule = changing((file, call) => {
  const position = call.parameters.number("pos") ?? 0;
  if (position >= file.rules.length) throw failure(`no rule at position ${position}`);
  file.rules.splice(position, 1);
});

/** Those that are set. */
export const readOptions =
  (type: GuestType) =>
  (call: Call): ApiAnswer => {
    const { options } = readFile(call, type);
    const shown = Object.fromEntries(Object.entries(options).map(([key, value]) => [key, asNumber(value)]));
    return answer({ ...shown, digest: digestOf(options) });
  };

export const changeOptions = changing((file, call) => {
  const { delete: removed = "", digest: _, node: _node, vmid: _vmid, ...set } = call.parameters.values;
  for (const name of splitList(removed)) delete file.options[name];
  Object.assign(file.options, set);
});

export const listAliases =
  (owner: Owner) =>
  (call: Call): ApiAnswer => {
    const { aliases } = readFile(call, owner);
    return answer(aliases.map((alias) => ({ ...alias, digest: digestOf(aliases) })));
  };

export const createAlias = changing((file, call) => {
  const name = call.parameters.text("name");
  if (file.aliases.some((one) => one.name.toLowerCase() === name.toLowerCase()))
    throw parameterError({ name: `alias '${name}' already exists` });
  file.aliases.push({ name, cidr: call.parameters.text("cidr"), ...commentOf(call) });
});

export const deleteAlias = changing((file, call) => {
  const name = call.parameters.text("name").toLowerCase();
  file.aliases = file.aliases.filter((one) => one.name.toLowerCase() !== name);
});

export const listSets =
  (owner: Owner) =>
  (call: Call): ApiAnswer => {
    const { sets } = readFile(call, owner);
    return answer(sets.map(({ name, comment }) => ({ name, comment, digest: digestOf(sets) })));
  };

export const createSet = changing((file, call) => {
  const name = call.parameters.text("name");
  if (file.sets.some((one) => one.name === name)) throw parameterError({ name: `IPSet '${name}' already exists` });
  file.sets.push({ name, ...commentOf(call), entries: [] });
});

/** One with entries is removed with `force` only. */
export const deleteSet = changing((file, call) => {
  const set = setOf(file, call);
  if (set.entries.length > 0 && !call.parameters.flag("force")) throw failure(`IPSet '${set.name}' is not empty`);
  file.sets = file.sets.filter((one) => one !== set);
});

export const listEntries =
  (owner: Owner) =>
  (call: Call): ApiAnswer => {
    const { entries } = setOf(readFile(call, owner), call);
    return answer(entries.map((entry) => ({ ...entry, digest: digestOf(entries) })));
  };

export const createEntry = changing((file, call) => {
  const { entries } = setOf(file, call);
  const cidr = call.parameters.text("cidr");
  if (entries.some((one) => one.cidr === cidr)) throw parameterError({ cidr: `address '${cidr}' already exists` });
  entries.unshift({ cidr, ...(call.parameters.flag("nomatch") ? { nomatch: 1 } : {}), ...commentOf(call) });
});

function setOf({ sets }: FirewallFile, call: Call): AddressSet {
  const name = call.parameters.text("name");
  const set = sets.find((one) => one.name === name);
  if (set === undefined) throw failure(`no such IPSet '${name}'`);
  return set;
}

function commentOf({ parameters }: Call): { comment?: string } {
  const comment = parameters.optional("comment");
  return comment === undefined || comment === "" ? {} : { comment };
}
