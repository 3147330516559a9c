// Lists the endpoints of firewalls, a guest's own and the cluster's, and what they require.
import { anyone, privileges } from "../access/requirement.js";
import { may } from "../guests/rights.js";
import type { Route } from "../route.js";
import type { GuestType } from "../state/guest.js";
import {
  changeOptions,
  changeRule,
  createAlias,
  createEntry,
  createRule,
  createSet,
  deleteAlias,
  deleteRule,
  deleteSet,
  listAliases,
  listEntries,
  listRules,
  listSets,
  readOptions,
  readRule,
} from "./guestFirewall.js";
import { listGroups, listReferences, readClusterOptions } from "./references.js";

const see = may("VM.Audit");
const change = may("VM.Config.Network");

/** @param guest path of one guest of the type */
export function guestFirewallRoutes(guest: string, type: GuestType): Route[] {
  const firewall = `${guest}/firewall`;
  return [
    { method: "GET", path: `${firewall}/rules`, requires: see, handle: listRules(type) },
    { method: "POST", path: `${firewall}/rules`, requires: change, handle: createRule(type) },
    { method: "GET", path: `${firewall}/rules/{pos}`, requires: see, handle: readRule(type) },
    { method: "PUT", path: `${firewall}/rules/{pos}`, requires: change, handle: changeRule(type) },
    { method: "DELETE", path: `${firewall}/rules/{pos}`, requires: change, handle: deleteRule(type) },
    { method: "GET", path: `${firewall}/options`, requires: see, handle: readOptions(type) },
    { method: "PUT", path: `${firewall}/options`, requires: change, handle: changeOptions(type) },
    { method: "GET", path: `${firewall}/aliases`, requires: see, handle: listAliases(type) },
    { method: "POST", path: `${firewall}/aliases`, requires: change, handle: createAlias(type) },
    { method: "DELETE", path: `${firewall}/aliases/{name}`, requires: change, handle: deleteAlias(type) },
    { method: "GET", path: `${firewall}/ipset`, requires: see, handle: listSets(type) },
    { method: "POST", path: `${firewall}/ipset`, requires: change, handle: createSet(type) },
    { method: "GET", path: `${firewall}/ipset/{name}`, requires: see, handle: listEntries(type) },
    { method: "POST", path: `${firewall}/ipset/{name}`, requires: change, handle: createEntry(type) },
    { method: "DELETE", path: `${firewall}/ipset/{name}`, requires: change, handle: deleteSet(type) },
  ];
}

const firewall = "/cluster/firewall";
const audits = privileges("/", ["Sys.Audit"]);
const setName = { type: "string", minLength: 2, maxLength: 64, pattern: "[A-Za-z][A-Za-z0-9\\-\\_]+" };
const position = { type: "integer", minimum: 0, optional: 1 };

export const clusterFirewallRoutes: Route[] = [
  { method: "GET", path: `${firewall}/rules`, requires: audits, accepts: {}, handle: listRules("cluster") },
  {
    method: "GET",
    path: `${firewall}/rules/{pos}`,
    requires: audits,
    accepts: { pos: position },
    handle: readRule("cluster"),
  },
  { method: "GET", path: `${firewall}/aliases`, requires: audits, accepts: {}, handle: listAliases("cluster") },
  { method: "GET", path: `${firewall}/ipset`, requires: audits, accepts: {}, handle: listSets("cluster") },
  {
    method: "GET",
    path: `${firewall}/ipset/{name}`,
    requires: audits,
    accepts: { name: setName },
    handle: listEntries("cluster"),
  },
  {
    method: "GET",
    path: `${firewall}/refs`,
    requires: audits,
    handle: listReferences,
  },
  {
    method: "GET",
    path: `${firewall}/options`,
    requires: audits,
    handle: readClusterOptions,
  },
  { method: "GET", path: `${firewall}/groups`, requires: anyone, handle: listGroups },
];
