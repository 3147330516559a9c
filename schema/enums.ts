// Makes the closed value sets of the domain GraphQL enums: names are the upper-case keys, values stay lower case inside.
import { registerEnumType } from "type-graphql";
import {
  GuestSortField,
  GuestStatus,
  GuestType,
  HostKind,
  JobKind,
  JobStatus,
  NodeStatus,
  PowerAction,
  SortDirection,
  UserRole,
} from "../src/core/enums.js";

registerEnumType(GuestType, { name: "GuestType", description: "QEMU virtual machine or LXC container." });
registerEnumType(GuestStatus, { name: "GuestStatus", description: "What a guest is doing, as last observed." });
registerEnumType(NodeStatus, { name: "NodeStatus", description: "Whether a node answered at the last sync." });
registerEnumType(HostKind, {
  name: "HostKind",
  description: "What stands behind a connection: one node or a cluster.",
});
registerEnumType(PowerAction, { name: "PowerAction", description: "What can be done to a guest's power." });
registerEnumType(JobStatus, { name: "JobStatus", description: "The life of a job." });
registerEnumType(JobKind, { name: "JobKind", description: "What a job does." });
registerEnumType(UserRole, { name: "UserRole", description: "Who a person is to the service." });
registerEnumType(SortDirection, { name: "SortDirection", description: "The direction of a sorted list." });
registerEnumType(GuestSortField, { name: "GuestSortField", description: "What a list of guests can be sorted by." });

export {
  GuestSortField,
  GuestStatus,
  GuestType,
  HostKind,
  JobKind,
  JobStatus,
  NodeStatus,
  PowerAction,
  SortDirection,
  UserRole,
};
