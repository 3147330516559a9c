// Endpoints that read guests and change them.
import { keyProblems } from "../../src/access/keyProblems.js";
import { GuestType, PowerAction } from "../../src/core/enums.js";
import { guestReinstallProblems, type InstallRequest } from "../../src/core/guest/specification.js";
import { isNodeName } from "../../src/core/names.js";
import type { Problem } from "../../src/core/problem.js";
import { guestAddress, hostId, META, PAGED, paging, PAGING, subjects } from "../fields.js";
import { choice, text } from "../kinds.js";
import type { Route } from "../route.js";
import type { Variables } from "../route.js";
import { installation } from "./guestCreation.js";

/** The Guest record of REST v1. */
export const GUEST = `type vmid node name host_id: hostId status template lock tags cores memory_mb: memoryMb
  disk_gb: totalDiskGb cpu_usage: cpuUsage memory_used_mb: memoryUsedMb uptime_seconds: uptimeSeconds owner_id: ownerId
  plan_id: planId ip_addresses: ipAddresses safety_copy: safetyCopy safety_copy_delete_at: safetyCopyDeleteAt
  last_seen_at: lastSeenAt`;

const QUEUED = "queued job_id: jobId vmid";

const MALFORMED_NODE: Problem = { field: "node", message: "must be a node name" };

/** The rules for what could be read, when something else could not. An owner may have keys: that is not known then. */
function installationProblems({ type, input }: Variables): readonly Problem[] {
  const kind = type === "LXC" ? GuestType.LXC : GuestType.QEMU;
  const request: InstallRequest = typeof input === "object" && input !== null ? input : {};
  return [...guestReinstallProblems(kind, request, true), ...keyProblems(request.sshKeys)];
}

export const guestRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/hosts/{id}/guests",
    summary: "Every virtual machine and container on the host",
    fields: [hostId, ...paging],
    subject: subjects.host,
    rawJson: true,
    document: `query Guests($hostId: Int!, ${PAGING}) {
      data: guests(filter: { hostIds: [$hostId] }, ${PAGED}) { items { ${GUEST} } ${META} }
    }`,
  },
  {
    method: "GET",
    path: "/hosts/{id}/guests/{type}/{vmid}",
    summary: "One guest",
    fields: guestAddress,
    rawJson: true,
    document: `query Guest($hostId: Int!, $type: GuestType!, $vmid: Int!) {
      data: guest(hostId: $hostId, type: $type, vmid: $vmid) { ${GUEST} }
    }`,
  },
  {
    method: "POST",
    path: "/hosts/{id}/guests/{type}/{vmid}/power",
    summary: "Starts, stops, shuts down, reboots, suspends or resumes a guest; the platform's task goes on afterwards",
    fields: [
      ...guestAddress,
      {
        name: "node",
        in: "body",
        kind: text,
        variable: "node",
        required: true,
        description: "Node that the guest is on",
      },
      {
        name: "action",
        in: "body",
        kind: choice(...Object.values(PowerAction)),
        variable: "action",
        required: true,
        description: "What to do",
      },
    ],
    subject: subjects.guest,
    mayFailWith: ["conflict", "platform"],
    problems: ({ node }) => (typeof node === "string" && !isNodeName(node) ? [MALFORMED_NODE] : []),
    document: `mutation PowerGuest($hostId: Int!, $type: GuestType!, $vmid: Int!, $node: String!, $action: PowerAction!) {
      data: powerGuest(hostId: $hostId, type: $type, vmid: $vmid, node: $node, action: $action) { upid }
    }`,
  },
  {
    method: "POST",
    path: "/hosts/{id}/guests/{type}/{vmid}/reinstall",
    summary: "Queues the reinstallation of a guest, which keeps its VMID, size, addresses and owner, and is started",
    fields: [...guestAddress, ...installation],
    subject: subjects.guest,
    problems: installationProblems,
    status: 202,
    mayFailWith: ["conflict"],
    document: `mutation ReinstallGuest($hostId: Int!, $type: GuestType!, $vmid: Int!, $input: GuestReinstallInput! = {}) {
      data: reinstallGuest(hostId: $hostId, type: $type, vmid: $vmid, input: $input) { ${QUEUED} }
    }`,
  },
  {
    method: "DELETE",
    path: "/hosts/{id}/guests/{type}/{vmid}",
    summary: "Queues the deletion of a guest; its addresses from IP zones are released",
    fields: guestAddress,
    status: 202,
    mayFailWith: ["conflict"],
    document: `mutation DeleteGuest($hostId: Int!, $type: GuestType!, $vmid: Int!) {
      data: deleteGuest(hostId: $hostId, type: $type, vmid: $vmid) { ${QUEUED} }
    }`,
  },
];
