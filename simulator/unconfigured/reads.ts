// Lists what a host answers about features that it has and nobody has set up: in every release alike unless a row says otherwise.
import type { Requirement } from "../access/requirement.js";
import { anyone, anyPrivilege, isThatUser, oneOf, overUser, privileges } from "../access/requirement.js";
import { ApiError, failure } from "../api.js";
import { flag, node as nodeName, text } from "../parameters/common.js";
import type { PropertyTable } from "../parameters/propertyTable.js";
import type { Call } from "../route.js";
import type { Release } from "../version.js";

/** One path that is only read here. */
export interface ReadRoute {
  path: string;
  requires: Requirement;
  /** Data, or what makes it of the call. */
  data: unknown;
  /** Parameters beyond those of the path. */
  query?: PropertyTable;
  /** Left out: all. */
  releases?: readonly Release[];
  /** False: answered by whichever member is asked, whatever node the path names. */
  proxied?: false;
}

const from84: readonly Release[] = ["8.4", "9.2"];
const from92: readonly Release[] = ["9.2"];
const before92: readonly Release[] = ["7.4", "8.4"];

const audits = privileges("/", ["Sys.Audit"]);
const changes = privileges("/", ["Sys.Modify"]);
const seesCeph = anyPrivilege("/", ["Sys.Audit", "Datastore.Audit"]);
const seesSecondFactors = oneOf(isThatUser, overUser(["User.Modify", "Sys.Audit"]));
const seesNotifications = oneOf(
  privileges("/mapping/notifications", ["Mapping.Modify"]),
  privileges("/mapping/notifications", ["Mapping.Audit"]),
);
const seesTargets = oneOf(seesNotifications, privileges("/mapping/notifications", ["Mapping.Use"]));
const usesMapping = (path: string): Requirement =>
  oneOf(...["Mapping.Use", "Mapping.Modify", "Mapping.Audit"].map((privilege) => privileges(path, [privilege])));

const node = "/nodes/{node}";
const ha = "/cluster/ha";
const notifications = "/cluster/notifications";
const capabilities = `${node}/capabilities`;

/** Names of the paths below one, in the column that its releases use. */
const index = (column: string, names: string): Record<string, string>[] =>
  names.split(" ").map((name) => ({ [column]: name }));

/** Refuses with a text in which parameters of the path are filled in. */
const refuses =
  (message: string, status = 500) =>
  (call: Call): never => {
    const filled = message.replaceAll(/\{(\w+)\}/g, (_, name: string) => call.parameters.text(name));
    throw status === 500 ? failure(filled) : new ApiError(status, filled);
  };

const noCeph = refuses("binary not installed: /usr/bin/ceph-mon");
const type = (...values: string[]): PropertyTable => ({ type: { ...text, enum: values } });
const mapped = (kind: string, releases = from84): ReadRoute[] => [
  {
    path: `/cluster/mapping/${kind}`,
    requires: anyone,
    query: { "check-node": { ...nodeName, optional: 1 } },
    releases,
    data: [],
  },
  {
    path: `/cluster/mapping/${kind}/{id}`,
    requires: usesMapping(`/mapping/${kind}/{id}`),
    releases,
    data: refuses("mapping '{id}' not found"),
  },
];
/** What the list of SDN objects of one kind accepts. */
const shown: PropertyTable = { running: flag, pending: flag };
const mailsToRoot = { name: "mail-to-root", comment: "Send mails to root@pam's email address", origin: "builtin" };

export const reads: readonly ReadRoute[] = [
  { path: "/access/openid", requires: anyone, data: index("subdir", "auth-url login") },
  { path: "/access/tfa", requires: anyone, data: [] },
  { path: "/access/tfa/{userid}", requires: seesSecondFactors, data: [] },
  { path: "/access/tfa/{userid}/{id}", requires: seesSecondFactors, data: refuses("No such tfa entry '{id}'", 404) },
  {
    path: "/access/users/{userid}/tfa",
    requires: seesSecondFactors,
    query: { multiple: flag },
    data: (call: Call) => (call.parameters.flag("multiple") ? { user: [] } : {}),
  },

  { path: "/cluster/acme/account", requires: anyone, data: [] },
  { path: "/cluster/bulk-action", requires: anyone, releases: from92, data: index("name", "guest") },
  {
    path: "/cluster/bulk-action/guest",
    requires: anyone,
    releases: from92,
    data: index("name", "start shutdown migrate suspend"),
  },
  { path: "/cluster/ceph", requires: anyone, data: index("name", "metadata status flags") },
  { path: "/cluster/ceph/status", requires: seesCeph, data: noCeph },
  { path: "/cluster/config", requires: audits, data: index("name", "nodes totem join qdevice apiversion") },
  { path: "/cluster/config/apiversion", requires: audits, data: 1 },
  {
    path: "/cluster/firewall",
    requires: anyone,
    data: index("name", "rules options groups aliases ipset macros refs"),
  },

  { path: ha, requires: audits, releases: before92, data: index("id", "status resources groups") },
  { path: ha, requires: audits, releases: from92, data: index("id", "status resources groups rules") },
  { path: `${ha}/status`, requires: anyone, data: index("name", "current manager_status") },
  { path: `${ha}/groups`, requires: audits, releases: before92, data: [] },
  {
    path: `${ha}/groups/{id}`,
    requires: audits,
    releases: before92,
    data: refuses("no such ha group '{id}'"),
  },
  {
    path: `${ha}/groups`,
    requires: audits,
    releases: from92,
    data: refuses("cannot index groups: ha groups have been migrated to rules"),
  },
  {
    path: `${ha}/rules`,
    requires: audits,
    query: { ...type("node-affinity", "resource-affinity"), resource: text },
    releases: from92,
    data: [],
  },
  { path: `${ha}/rules/{id}`, requires: audits, releases: from92, data: refuses("no such ha rule '{id}'") },

  { path: "/cluster/jobs", requires: anyone, releases: ["7.4"], data: index("subdir", "schedule-analyze") },
  { path: "/cluster/jobs", requires: anyone, releases: from84, data: index("subdir", "schedule-analyze realm-sync") },
  { path: "/cluster/jobs/realm-sync", requires: audits, releases: from84, data: [] },

  { path: "/cluster/mapping", requires: anyone, releases: from84, data: index("name", "dir pci usb") },
  ...mapped("dir"),
  ...mapped("pci"),
  ...mapped("usb"),

  { path: "/cluster/metrics", requires: anyone, data: index("name", "server") },
  { path: "/cluster/metrics/server", requires: audits, data: [] },
  {
    path: "/cluster/metrics/server/{id}",
    requires: audits,
    data: refuses("status server entry '{id}' does not exist"),
  },

  {
    path: notifications,
    requires: anyone,
    releases: from84,
    data: index("name", "endpoints matchers targets matcher-fields matcher-field-values"),
  },
  {
    path: `${notifications}/endpoints`,
    requires: anyone,
    releases: from84,
    data: index("name", "gotify sendmail smtp webhook"),
  },
  {
    path: `${notifications}/endpoints/sendmail`,
    requires: seesNotifications,
    releases: from84,
    data: [{ ...mailsToRoot, "mailto-user": ["root@pam"] }],
  },
  ...["gotify", "smtp", "webhook"].map((kind) => ({
    path: `${notifications}/endpoints/${kind}`,
    requires: seesNotifications,
    releases: from84,
    data: [],
  })),
  {
    path: `${notifications}/targets`,
    requires: seesTargets,
    releases: from84,
    data: [{ ...mailsToRoot, type: "sendmail" }],
  },
  {
    path: `${notifications}/matchers`,
    requires: oneOf(seesTargets),
    releases: from84,
    data: [
      {
        name: "default-matcher",
        mode: "all",
        target: ["mail-to-root"],
        comment: "Route all notifications to mail-to-root",
        origin: "builtin",
      },
    ],
  },
  {
    path: `${notifications}/matcher-fields`,
    requires: seesNotifications,
    releases: from84,
    data: index("name", "type hostname job-id"),
  },

  { path: "/cluster/qemu", requires: anyone, releases: from92, data: index("name", "cpu-flags custom-cpu-models") },
  { path: "/cluster/qemu/custom-cpu-models", requires: anyone, releases: from92, data: [] },

  {
    path: "/cluster/sdn",
    requires: privileges("/", ["SDN.Audit"]),
    releases: from84,
    data: index("id", "vnets zones controllers ipams dns"),
  },
  {
    path: "/cluster/sdn/zones",
    requires: anyone,
    query: { ...shown, ...type("evpn", "faucet", "qinq", "simple", "vlan", "vxlan") },
    releases: from84,
    data: [],
  },
  {
    path: "/cluster/sdn/controllers",
    requires: anyone,
    query: { ...shown, ...type("bgp", "evpn", "faucet", "isis") },
    releases: from84,
    data: [],
  },
  { path: "/cluster/sdn/dns", requires: anyone, query: type("powerdns"), releases: from84, data: [] },
  { path: "/cluster/sdn/vnets", requires: anyone, query: shown, releases: from84, data: [] },

  { path: `${node}/certificates`, requires: anyone, proxied: false, data: index("name", "acme custom info") },
  { path: capabilities, requires: anyone, proxied: false, data: index("name", "qemu") },
  {
    path: `${capabilities}/qemu`,
    requires: anyone,
    releases: before92,
    proxied: false,
    data: index("name", "cpu machines"),
  },
  {
    path: `${capabilities}/qemu`,
    requires: anyone,
    releases: from92,
    proxied: false,
    data: index("name", "cpu cpu-flags machines migration"),
  },
  {
    path: `${capabilities}/qemu/migration`,
    requires: privileges(node, ["Sys.Audit"]),
    releases: from92,
    data: { "has-dbus-vmstate": true },
  },
  { path: `${node}/ceph/status`, requires: seesCeph, data: noCeph },
  { path: `${node}/config`, requires: audits, query: { property: text }, data: {} },
  { path: `${node}/firewall`, requires: anyone, proxied: false, data: index("name", "rules options log") },
  { path: `${node}/firewall/rules`, requires: privileges(node, ["Sys.Audit"]), data: [] },
  { path: `${node}/hardware`, requires: anyone, proxied: false, data: index("type", "pci usb") },
  { path: `${node}/hardware/usb`, requires: changes, data: [] },
  ...["qemu", "lxc"].map((guest) => ({
    path: `${node}/${guest}/{vmid}/firewall`,
    requires: anyone,
    proxied: false as const,
    data: index("name", "rules aliases ipset refs options"),
  })),
];
