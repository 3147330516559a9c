// Lists the access endpoints and what they require.
import type { Route } from "../route.js";
import { after, answer } from "../route.js";
import { requireUserLock } from "../state/quorum.js";
import { login } from "./login.js";
import { createPool, deletePool, listPools, readPool } from "./pools.js";
import {
  allocatesInRealm,
  allOf,
  anyone,
  anyPrivilege,
  isThatUser,
  modifiesRules,
  oneOf,
  overUser,
  privileges,
} from "./requirement.js";
import { createRole, deleteRole, listRoles, readRole, updateRole } from "./roleMethods.js";
import { effectivePermissions, listRules, updateRules } from "./rules.js";
import { createToken, deleteToken, listTokens, readToken, updateToken } from "./tokens.js";
import {
  createGroup,
  createUser,
  deleteUser,
  listGroups,
  listRealms,
  listUsers,
  readGroup,
  readRealm,
  readUser,
} from "./users.js";

const ownTokens = oneOf(isThatUser, overUser(["User.Modify"]));
const changesRoles = privileges("/access", ["Sys.Modify"]);
const tokens = "/access/users/{userid}/token";

export const accessRoutes: Route[] = [
  { method: "GET", path: "/access/ticket", requires: "world", handle: () => answer(null) },
  { method: "POST", path: "/access/ticket", requires: "world", tokensAllowed: false, handle: login },
  { method: "GET", path: "/access/acl", requires: anyone, handle: listRules },
  { method: "PUT", path: "/access/acl", requires: modifiesRules, handle: after(requireUserLock, updateRules) },
  { method: "GET", path: "/access/permissions", requires: anyone, handle: effectivePermissions },
  { method: "GET", path: "/access/roles", requires: anyone, handle: listRoles },
  { method: "POST", path: "/access/roles", requires: changesRoles, handle: after(requireUserLock, createRole) },
  { method: "GET", path: "/access/roles/{roleid}", requires: anyone, handle: readRole },
  { method: "PUT", path: "/access/roles/{roleid}", requires: changesRoles, handle: after(requireUserLock, updateRole) },
  {
    method: "DELETE",
    path: "/access/roles/{roleid}",
    requires: changesRoles,
    handle: after(requireUserLock, deleteRole),
  },
  { method: "GET", path: "/access/users", requires: anyone, handle: listUsers },
  { method: "POST", path: "/access/users", requires: allocatesInRealm, handle: after(requireUserLock, createUser) },
  { method: "GET", path: "/access/users/{userid}", requires: overUser(["User.Modify", "Sys.Audit"]), handle: readUser },
  {
    method: "DELETE",
    path: "/access/users/{userid}",
    requires: allOf(allocatesInRealm, overUser(["User.Modify"])),
    handle: after(requireUserLock, deleteUser),
  },
  { method: "GET", path: tokens, requires: ownTokens, handle: listTokens },
  { method: "GET", path: `${tokens}/{tokenid}`, requires: ownTokens, handle: readToken },
  { method: "POST", path: `${tokens}/{tokenid}`, requires: ownTokens, handle: after(requireUserLock, createToken) },
  { method: "PUT", path: `${tokens}/{tokenid}`, requires: ownTokens, handle: after(requireUserLock, updateToken) },
  { method: "DELETE", path: `${tokens}/{tokenid}`, requires: ownTokens, handle: after(requireUserLock, deleteToken) },
  { method: "GET", path: "/access/groups", requires: anyone, handle: listGroups },
  {
    method: "POST",
    path: "/access/groups",
    requires: privileges("/access/groups", ["Group.Allocate"]),
    handle: after(requireUserLock, createGroup),
  },
  {
    method: "GET",
    path: "/access/groups/{groupid}",
    requires: anyPrivilege("/access/groups", ["Sys.Audit", "Group.Allocate"]),
    accepts: { groupid: { type: "string", format: "pve-groupid" } },
    handle: readGroup,
  },
  {
    method: "GET",
    path: "/access/domains/{realm}",
    requires: anyPrivilege("/access/realm/{realm}", ["Realm.Allocate", "Sys.Audit"]),
    accepts: { realm: { type: "string", format: "pve-realm", maxLength: 32 } },
    handle: readRealm,
  },
  { method: "GET", path: "/access/domains", requires: "world", handle: listRealms },
  { method: "GET", path: "/pools", requires: anyone, handle: listPools },
  { method: "GET", path: "/pools/{poolid}", requires: privileges("/pool/{poolid}", ["Pool.Audit"]), handle: readPool },
  {
    method: "POST",
    path: "/pools",
    requires: privileges("/pool/{poolid}", ["Pool.Allocate"]),
    handle: after(requireUserLock, createPool),
  },
  {
    method: "DELETE",
    path: "/pools/{poolid}",
    requires: privileges("/pool/{poolid}", ["Pool.Allocate"]),
    handle: after(requireUserLock, deletePool),
  },
];
