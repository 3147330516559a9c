// Endpoints that read hosts, their nodes, and what new guests can be made of.
import { hostId, META, nodeFilter, PAGED, paging, PAGING, subjects } from "../fields.js";
import { nodeName } from "../kinds.js";
import type { Route } from "../route.js";

const NODE = `host_id: hostId name status maintenance cpu_cores: cpuCores cpu_usage: cpuUsage
  cpu_average_30m: cpuAverage30m memory_mb: memoryMb memory_used_mb: memoryUsedMb guest_count: guestCount version
  uptime_seconds: uptimeSeconds agent { version current healthy last_seen_at: lastSeenAt }`;

export const hostRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/hosts",
    summary: "Hosts in the token's scope",
    fields: paging,
    rawJson: true,
    document: `query Hosts(${PAGING}) { data: hosts(${PAGED}) { items { id name hostname port user active } ${META} } }`,
  },
  {
    method: "GET",
    path: "/hosts/{id}/nodes",
    summary: "Nodes of a host",
    fields: [hostId, ...paging],
    subject: subjects.host,
    rawJson: true,
    document: `query Nodes($hostId: Int!, ${PAGING}) { data: nodes(hostId: $hostId, ${PAGED}) { items { ${NODE} } ${META} } }`,
  },
  {
    method: "GET",
    path: "/hosts/{id}/nodes/{node}",
    summary: "One node by name",
    fields: [hostId, { name: "node", in: "path", kind: nodeName, variable: "node", description: "Name of the node" }],
    rawJson: true,
    document: `query Node($hostId: Int!, $node: String!) { data: node(hostId: $hostId, name: $node) { ${NODE} } }`,
  },
  {
    method: "GET",
    path: "/hosts/{id}/plans",
    summary: "Active plans",
    fields: [hostId, ...paging],
    subject: subjects.host,
    rawJson: true,
    document: `query Plans($hostId: Int!, ${PAGING}) {
      data: plans(hostId: $hostId, ${PAGED}) {
        items {
          id name cores memory_mb: memoryMb disk_gb: diskGb traffic_gb: trafficGb runtime_days: runtimeDays
        }
        ${META}
      }
    }`,
  },
  {
    method: "GET",
    path: "/hosts/{id}/storages",
    summary: "Storages, a record for each node that sees one",
    fields: [hostId, nodeFilter, ...paging],
    subject: subjects.host,
    rawJson: true,
    document: `query Storages($hostId: Int!, $node: String, ${PAGING}) {
      data: storages(hostId: $hostId, node: $node, ${PAGED}) {
        items {
          name node type content shared active
          total_bytes: totalBytes used_bytes: usedBytes free_bytes: freeBytes
        }
        ${META}
      }
    }`,
  },
  {
    method: "GET",
    path: "/hosts/{id}/networks",
    summary: "Bridges and other networks, a record for each node that has one",
    fields: [hostId, nodeFilter, ...paging],
    subject: subjects.host,
    rawJson: true,
    document: `query Networks($hostId: Int!, $node: String, ${PAGING}) {
      data: networks(hostId: $hostId, node: $node, ${PAGED}) { items { name node type active cidr } ${META} }
    }`,
  },
];
