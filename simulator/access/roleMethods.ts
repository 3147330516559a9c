// Answers the endpoints for roles.
import type { ApiAnswer } from "../api.js";
import { failure, parameterError } from "../api.js";
import { splitList } from "../parameters/lists.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import { atLeast } from "../version.js";
import { builtinRoles, privilegesOf } from "./roles.js";

function isBuiltin(call: Call, roleid: string): boolean {
  return builtinRoles(call.platform.release).has(roleid);
}

function roleOf(call: Call, context = ""): ReadonlySet<string> {
  const roleid = call.parameters.text("roleid");
  const role = call.platform.state.access.roles.get(roleid);
  if (role === undefined) throw failure(`${context}role '${roleid}' does not exist`);
  return role;
}

function requestedPrivileges(call: Call, context: string): string[] {
  const names = splitList(call.parameters.optional("privs") ?? "");
  const valid = privilegesOf(call.platform.release);
  const unknown = names.find((name) => !valid.has(name));
  if (unknown !== undefined) throw failure(`${context}invalid privilege '${unknown}'`);
  return names;
}

export function listRoles(call: Call): ApiAnswer {
  const rows = [...call.platform.state.access.roles].map(([roleid, privileges]) => ({
    roleid,
    privs: [...privileges].toSorted().join(","),
    special: isBuiltin(call, roleid) ? 1 : 0,
  }));
  return answer(rows);
}

export function readRole(call: Call): ApiAnswer {
  return answer(Object.fromEntries([...roleOf(call)].map((privilege) => [privilege, 1])));
}

export function createRole(call: Call): ApiAnswer {
  const { roles } = call.platform.state.access;
  const roleid = call.parameters.text("roleid");
  if (/^PVE/i.test(roleid) && atLeast(call.platform.release, "8.4"))
    throw parameterError({ roleid: "cannot use role ID starting with the (case-insensitive) 'PVE' namespace" });
  if (roles.has(roleid)) throw failure(`create role failed: role '${roleid}' already exists`);
  roles.set(roleid, new Set(requestedPrivileges(call, "create role failed: ")));
  return answer(null);
}

export function updateRole(call: Call): ApiAnswer {
  const roleid = call.parameters.text("roleid");
  if (isBuiltin(call, roleid)) throw failure(`auto-generated role '${roleid}' cannot be modified`);
  const kept = call.parameters.flag("append") ? roleOf(call, "update role failed: ") : [];
  roleOf(call, "update role failed: ");
  const added = requestedPrivileges(call, "update role failed: ");
  call.platform.state.access.roles.set(roleid, new Set([...kept, ...added]));
  return answer(null);
}

export function deleteRole(call: Call): ApiAnswer {
  const roleid = call.parameters.text("roleid");
  if (isBuiltin(call, roleid)) throw failure(`auto-generated role '${roleid}' cannot be deleted`);
  roleOf(call, "delete role failed: ");
  call.platform.state.access.roles.delete(roleid);
  return answer(null);
}
