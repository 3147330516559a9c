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

export const clusterFirewallRoutes: Route[] = [
  {
    method: "GET",
    path: "/cluster/firewall/refs",
    requires: privileges("/", ["Sys.Audit"]),
    handle: listReferences,
  },
  {
    method: "GET",
    path: "/cluster/firewall/options",
    requires: privileges("/", ["Sys.Audit"]),
    handle: readClusterOptions,
  },
  { method: "GET", path: "/cluster/firewall/groups", requires: anyone, handle: listGroups },
];
