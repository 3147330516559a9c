// Cases of queries of hosts, nodes and what belongs to them.
import { items, type Answered } from "./answered.js";

/** As long as the names of columns can be. */
const LONG = "a".repeat(63);

export const inventoryCases: readonly Answered[] = [
  {
    must: "counts the guests of resellers' customers only",
    as: "reseller",
    query: "{ hosts { items { id guestCount nodes { name guestCount } } } }",
    data: {
      hosts: items([
        { id: 1, guestCount: 40, nodes: [] },
        { id: 2, guestCount: 0, nodes: [{ name: "b1", guestCount: 0 }] },
      ]),
    },
  },
  {
    must: "lists hosts with their nodes and counts",
    as: "plain",
    query: "{ hosts { items { id kind clusterName version guestCount nodes { name } } meta { page perPage total } } }",
    data: {
      hosts: {
        items: [
          { id: 1, kind: "STANDALONE", clusterName: null, version: "8.4.5", guestCount: 120, nodes: [{ name: "a1" }] },
          {
            id: 2,
            kind: "CLUSTER",
            clusterName: "beta",
            version: "9.2.1",
            guestCount: 2,
            nodes: [{ name: "b1" }, { name: "b2" }],
          },
          { id: 3, kind: "STANDALONE", clusterName: null, version: null, guestCount: 0, nodes: [] },
        ],
        meta: { page: 1, perPage: 50, total: 3 },
      },
    },
  },
  {
    must: "shows a scoped token its hosts only",
    as: "scoped",
    query: "{ hosts { items { id } meta { total } } }",
    data: { hosts: { items: [{ id: 1 }], meta: { total: 1 } } },
  },
  {
    must: "shows a reseller the hosts of assigned nodes and of customers' guests",
    as: "reseller",
    query: "{ hosts { items { id } } }",
    data: { hosts: items([{ id: 1 }, { id: 2 }]) },
  },
  {
    must: "shows a reseller assigned nodes only",
    as: "reseller",
    query: "{ nodes(hostId: 2) { items { name } } }",
    data: { nodes: items([{ name: "b1" }]) },
  },
  {
    must: "pages, with the last page short",
    as: "plain",
    query: "{ hosts(page: 2, perPage: 2) { items { id } meta { page perPage total } } }",
    data: { hosts: { items: [{ id: 3 }], meta: { page: 2, perPage: 2, total: 3 } } },
  },
  {
    must: "counts a page size above 200 as 200",
    as: "plain",
    query: "{ hosts(perPage: 1000) { meta { perPage } } }",
    data: { hosts: { meta: { perPage: 200 } } },
  },
  {
    must: "takes explicit nulls as left out",
    as: "plain",
    query: "{ hosts(page: null, perPage: null) { meta { page perPage } } }",
    data: { hosts: { meta: { page: 1, perPage: 50 } } },
  },
  {
    must: "finds hosts by id, and by part of the name or the hostname",
    as: "plain",
    query:
      '{ known: hosts(ids: [3, 1, 99]) { items { id } } named: hosts(search: "ALPH") { items { id } } addressed: hosts(search: "a.example") { items { id } meta { total } } wild: hosts(search: "%") { items { id } } }',
    data: {
      known: items([{ id: 1 }, { id: 3 }]),
      named: items([{ id: 1 }]),
      addressed: { items: [{ id: 1 }, { id: 2 }, { id: 3 }], meta: { total: 3 } },
      wild: items([]),
    },
  },
  {
    must: "finds no hosts out of scope by id or name",
    as: "scoped",
    query: '{ known: hosts(ids: [1, 2]) { items { id } } named: hosts(search: "beta") { items { id } } }',
    data: { known: items([{ id: 1 }]), named: items([]) },
  },
  {
    must: "lists the nodes of all hosts, and narrows them to a status, to hot ones and to part of host and node",
    as: "plain",
    query:
      '{ nodes { items { hostId name } meta { total } } away: nodes(status: OFFLINE) { items { name } } hot: nodes(hot: true) { items { name } } cool: nodes(hot: false) { items { name } } unhealthy: nodes(agentHealthy: false) { items { name } } others: nodes(otherThanHostId: 2) { items { name } } found: nodes(search: "Beta / B") { items { name } } }',
    data: {
      nodes: {
        items: [
          { hostId: 1, name: "a1" },
          { hostId: 2, name: "b1" },
          { hostId: 2, name: "b2" },
        ],
        meta: { total: 3 },
      },
      away: items([{ name: "b2" }]),
      hot: items([{ name: "a1" }]),
      cool: items([{ name: "b1" }, { name: "b2" }]),
      unhealthy: items([]),
      others: items([{ name: "a1" }]),
      found: items([{ name: "b1" }, { name: "b2" }]),
    },
  },
  {
    must: "lists the hottest nodes first, those without figures last",
    as: "plain",
    query: "{ nodes(hottestFirst: true) { items { name } } }",
    data: { nodes: items([{ name: "a1" }, { name: "b1" }, { name: "b2" }]) },
  },
  {
    must: "lists the nodes of hosts in scope only",
    as: "scoped",
    query: "{ nodes { items { name } } }",
    data: { nodes: items([{ name: "a1" }]) },
  },
  {
    must: "lists assigned nodes only",
    as: "reseller",
    query: "{ nodes { items { name } } }",
    data: { nodes: items([{ name: "b1" }]) },
  },
  {
    must: "tells a node's load, heat and agent",
    as: "plain",
    query:
      '{ node(hostId: 1, name: "a1") { status cpuAverage30m hot maintenance natConfigured publicAddress guestCount agent { current healthy version } host { name } } }',
    data: {
      node: {
        status: "ONLINE",
        cpuAverage30m: 0.4,
        hot: true,
        maintenance: false,
        natConfigured: true,
        publicAddress: "203.0.113.4",
        guestCount: 120,
        agent: { current: true, healthy: true, version: "1.0.0" },
        host: { name: "alpha" },
      },
    },
  },
  {
    must: "knows no average of samples older than 30 minutes, and a heartbeat of 181 s as stale",
    as: "plain",
    query: '{ node(hostId: 2, name: "b1") { cpuAverage30m hot guestCount agent { current } } }',
    data: { node: { cpuAverage30m: null, hot: false, guestCount: 1, agent: { current: false } } },
  },
  {
    must: "tells a node without an agent",
    as: "plain",
    query: '{ node(hostId: 2, name: "b2") { status uptimeSeconds agent { version } natConfigured } }',
    data: { node: { status: "OFFLINE", uptimeSeconds: null, agent: null, natConfigured: false } },
  },
  {
    must: "lists storages of a host by name, then by node",
    as: "plain",
    query: "{ storages(hostId: 2) { items { name node totalBytes content } meta { total } } }",
    data: {
      storages: {
        items: ["b1", "b2"].map((node) => ({
          name: "local",
          node,
          totalBytes: 10_000_000_000_000,
          content: ["images", "rootdir", "vztmpl"],
        })),
        meta: { total: 2 },
      },
    },
  },
  {
    must: "lists storages of one node",
    as: "plain",
    query: '{ storages(hostId: 2, node: "b2") { items { node } } }',
    data: { storages: items([{ node: "b2" }]) },
  },
  {
    must: "lists networks",
    as: "plain",
    query: "{ networks(hostId: 1) { items { name node type active cidr } } }",
    data: {
      networks: items(
        ["vmbr0", "vmbr1"].map((name) => ({ name, node: "a1", type: "bridge", active: true, cidr: "192.0.2.1/24" })),
      ),
    },
  },
  {
    must: "previews a placement",
    as: "plain",
    query:
      "{ placementSuggest(input: { type: QEMU, memoryMb: 512, cores: 1, diskGb: 1, hostId: 1 }) { best { node storage } dropped { code } } }",
    data: { placementSuggest: { best: { node: "a1", storage: "local" }, dropped: [] } },
  },
  {
    must: "merges fragments and obeys directives",
    as: "plain",
    query:
      "query ($yes: Boolean = true, $no: Boolean = false) { host(id: 1) { ...F name @skip(if: $yes) kind @include(if: $no) } } fragment F on Host { id nodes { ...N name } } fragment N on Node { hostId }",
    data: { host: { id: 1, nodes: [{ hostId: 1, name: "a1" }] } },
  },
  {
    must: "keeps aliases of one field with different arguments apart",
    as: "plain",
    query:
      '{ node(hostId: 1, name: "a1") { two: samples(minutes: 2) { cpuUsage } none: samples(minutes: 0) { cpuUsage } } }',
    data: { node: { two: [{ cpuUsage: 0.25 }, { cpuUsage: 0.25 }], none: [] } },
  },
  {
    must: "keeps fields of one alias apart that stand in a record that is asked for twice",
    as: "plain",
    query: `{
      host(id: 1) { a: nodes { s: samples(minutes: 2) { cpuUsage } } b: nodes { s: samples(minutes: 0) { cpuUsage } } }
      nodes(hostId: 1) { a: items { samples(minutes: 0) { cpuUsage } } b: items { samples(minutes: 2) { cpuUsage } } } }`,
    data: {
      host: { a: [{ s: [{ cpuUsage: 0.25 }, { cpuUsage: 0.25 }] }], b: [{ s: [] }] },
      nodes: { a: [{ samples: [] }], b: [{ samples: [{ cpuUsage: 0.25 }, { cpuUsage: 0.25 }] }] },
    },
  },
  {
    must: "keeps lists apart whose aliases are longer than a column's name and differ only in the end",
    as: "plain",
    query: `{ node(hostId: 1, name: "a1") { ${LONG}_two: samples(minutes: 2) { cpuUsage } ${LONG}_none: samples(minutes: 0) { cpuUsage } } }`,
    data: { node: { [`${LONG}_two`]: [{ cpuUsage: 0.25 }, { cpuUsage: 0.25 }], [`${LONG}_none`]: [] } },
  },
];
