// Fields that several endpoints have in common.
import { GuestType } from "../src/core/enums.js";
import { MAXIMUM_PER_PAGE } from "../src/core/paging.js";
import { choice, pageNumber, pageSize, positive, text } from "./kinds.js";
import type { RequestField } from "./route.js";

export const guestType = choice(GuestType.QEMU, GuestType.LXC);

export const hostId: RequestField = {
  name: "id",
  in: "path",
  kind: positive,
  variable: "hostId",
  description: "Id of the host",
};

export const guestAddress: readonly RequestField[] = [
  hostId,
  { name: "type", in: "path", kind: guestType, variable: "type", description: "qemu or lxc" },
  { name: "vmid", in: "path", kind: positive, variable: "vmid", description: "VMID of the guest" },
];

export const userId: RequestField = {
  name: "id",
  in: "path",
  kind: positive,
  variable: "userId",
  description: "Id of the user",
};

export const paging: readonly RequestField[] = [
  { name: "page", in: "query", kind: pageNumber, variable: "page", description: "The page, from 1" },
  {
    name: "perPage",
    in: "query",
    kind: pageSize,
    variable: "perPage",
    description: `Records a page; more than ${MAXIMUM_PER_PAGE} counts as ${MAXIMUM_PER_PAGE}`,
  },
];

export const nodeFilter: RequestField = {
  name: "node",
  in: "query",
  kind: text,
  variable: "node",
  description: "Only what this node has",
};

/** The variables of {@link paging} in the head of a document. */
export const PAGING = "$page: Int, $perPage: Int";
/** The same as arguments of a list field. */
export const PAGED = "page: $page, perPage: $perPage";
export const META = "meta { page perPage total }";

/** Operations that fail when the record of the path is not there. */
export const subjects = {
  host: "query ($hostId: Int!) { host(id: $hostId) { id } }",
  guest:
    "query ($hostId: Int!, $type: GuestType!, $vmid: Int!) { guest(hostId: $hostId, type: $type, vmid: $vmid) { id } }",
  user: "query ($userId: Int!) { user(id: $userId) { id } }",
  /** A user whose account the caller may change. */
  account: "query ($userId: Int!) { signIns(userId: $userId, perPage: 1) { meta { total } } }",
} as const;
