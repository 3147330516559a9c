// Endpoints that tell what new guests can be made of: templates, IP zones, the next VMID.
import { hostId, META, nodeFilter, PAGED, paging, PAGING, subjects } from "../fields.js";
import type { Route } from "../route.js";

export const catalogueRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/hosts/{id}/os-templates",
    summary: "Templates of virtual machines; `ref` is what a creation names",
    fields: [hostId, ...paging],
    subject: subjects.host,
    rawJson: true,
    document: `query OsTemplates($hostId: Int!, ${PAGING}) {
      data: osTemplates(hostId: $hostId, ${PAGED}) { items { id ref name node vmid min_disk_gb: minDiskGb } ${META} }
    }`,
  },
  {
    method: "GET",
    path: "/hosts/{id}/ct-templates",
    summary: "Templates of containers: the managed library and the nodes' own files",
    fields: [hostId, nodeFilter, ...paging],
    subject: subjects.host,
    rawJson: true,
    document: `query CtTemplates($hostId: Int!, $node: String, ${PAGING}) {
      data: ctTemplates(hostId: $hostId, node: $node, ${PAGED}) {
        items { id name volid node storage size_bytes: sizeBytes managed }
        ${META}
      }
    }`,
  },
  {
    method: "GET",
    path: "/hosts/{id}/ip-zones",
    summary: "IP zones; `ref` is what a creation names",
    fields: [hostId, ...paging],
    subject: subjects.host,
    rawJson: true,
    document: `query IpZones($hostId: Int!, ${PAGING}) {
      data: ipZones(hostId: $hostId, ${PAGED}) {
        items { id ref name cidr family gateway bridge vlan nameservers total used free }
        ${META}
      }
    }`,
  },
  {
    method: "GET",
    path: "/hosts/{id}/next-vmid",
    summary: "The next free VMID; asking does not reserve it",
    fields: [hostId],
    mayFailWith: ["conflict"],
    document: `query NextVmid($hostId: Int!) { vmid: nextVmid(hostId: $hostId) }`,
  },
];
