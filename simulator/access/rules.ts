// Answers the endpoints for the access control list and for effective permissions.
import type { ApiAnswer } from "../api.js";
import { failure, parameterError } from "../api.js";
import { splitList } from "../parameters/lists.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { AccessRule, AccessState, SubjectType } from "../state/access.js";
import { splitTokenId } from "../state/access.js";
import { atLeast } from "../version.js";
import { normalizePath } from "./requirement.js";

const word = "[A-Za-z0-9]+";
const name = "[A-Za-z0-9._-]+";
const rulePath = new RegExp(
  `^(?:/|/access(?:/groups(?:/${name})?|/realm(?:/${name})?)?|/nodes(?:/${name})?|/pool(?:/${name}){0,3}|/storage(?:/${name})?` +
    `|/vms(?:/[1-9][0-9]{2,})?|/mapping(?:/${name}){0,2}` +
    `|/sdn(?:/controllers(?:/[A-Za-z0-9_-]+)?|/(?:dns|fabrics|ipams|prefix-lists|route-maps)(?:/${word})?|/zones(?:/${name}(?:/${name}(?:/[1-9][0-9]{0,3})?)?)?)?)$`,
);
const subjects: readonly { parameter: string; type: SubjectType }[] = [
  { parameter: "groups", type: "group" },
  { parameter: "users", type: "user" },
  { parameter: "tokens", type: "token" },
];

/** Rules of the paths whose rules the caller may change, or all for auditors. */
export function listRules(call: Call): ApiAnswer {
  const { permissions, state } = call.platform;
  const { label } = call.identity;
  const all = permissions.has(label, "/access", ["Sys.Audit"]);
  const visible = state.access.rules.filter(
    (rule) => all || permissions.hasAny(label, rule.path, permissions.modifiers(rule.path)),
  );
  return answer(visible.map((rule) => ({ ...rule, propagate: rule.propagate ? 1 : 0 })));
}

export function updateRules(call: Call): ApiAnswer {
  const { parameters } = call;
  if (!subjects.some(({ parameter }) => parameters.optional(parameter)))
    throw parameterError(
      Object.fromEntries(
        subjects.map(({ parameter }) => [parameter, "either 'users', 'groups' or 'tokens' is required."]),
      ),
    );
  const path = normalizePath(parameters.text("path"));
  if (path === null || (!parameters.flag("delete") && !rulePath.test(path)))
    throw parameterError({ path: `invalid ACL path '${parameters.text("path")}'` });
  for (const rule of requestedRules(call, path)) apply(call.platform.state.access, rule, parameters.flag("delete"));
  return answer(null);
}

/** Every combination of the roles and subjects named, each checked to exist. */
function requestedRules(call: Call, path: string): AccessRule[] {
  const { parameters } = call;
  const propagate = parameters.optional("propagate") !== "0";
  const rules: AccessRule[] = [];
  for (const roleid of splitList(parameters.text("roles"))) {
    checkRole(call, { path, roleid, propagate });
    for (const { parameter, type } of subjects)
      for (const ugid of splitList(parameters.optional(parameter) ?? "")) {
        checkSubject(call.platform.state.access, type, ugid);
        rules.push({ path, type, ugid, roleid, propagate });
      }
  }
  return rules;
}

/** Without Permissions.Modify only a subset of one's own privileges can be handed out. */
function checkRole(call: Call, wanted: Pick<AccessRule, "path" | "roleid" | "propagate">): void {
  const { state, permissions } = call.platform;
  const privileges = state.access.roles.get(wanted.roleid);
  if (privileges === undefined) throw failure(`ACL update failed: role '${wanted.roleid}' does not exist`);
  const held = permissions.of(call.identity.label, wanted.path);
  if (held.has("Permissions.Modify") || !atLeast(call.platform.release, "8.4")) return;
  const verb = call.parameters.flag("delete") ? "remove" : "add";
  const refuse = (reason: string): never => {
    throw parameterError({ role: `Cannot ${verb} role '${wanted.roleid}'${reason}` });
  };
  if (wanted.roleid === "NoAccess") refuse(" - requires 'Permissions.Modify'");
  for (const privilege of privileges) {
    if (!held.has(privilege)) refuse(" - requires 'Permissions.Modify' or superset of privileges.");
    if (verb === "add" && wanted.propagate && held.get(privilege) !== true)
      refuse(" with propagation - requires 'Permissions.Modify' or propagated superset of privileges.");
  }
}

function checkSubject(access: AccessState, type: SubjectType, ugid: string): void {
  const complaint = missingSubject(access, type, ugid);
  if (complaint !== null) throw failure(`ACL update failed: ${complaint}`);
}

function missingSubject(access: AccessState, type: SubjectType, ugid: string): string | null {
  if (type === "group") return access.groups.has(ugid) ? null : `group '${ugid}' does not exist`;
  if (type === "user") return access.users.has(ugid) ? null : `user '${ugid}' does not exist`;
  const token = splitTokenId(ugid);
  const user = access.users.get(token?.user ?? "");
  if (token === null || user === undefined) return `no such user ('${token?.user ?? ugid}')`;
  return user.tokens.has(token.token) ? null : `no such token '${token.token}' for user '${token.user}'`;
}

function apply(access: AccessState, rule: AccessRule, remove: boolean): void {
  const same = (other: AccessRule): boolean =>
    other.path === rule.path && other.type === rule.type && other.ugid === rule.ugid && other.roleid === rule.roleid;
  access.rules = access.rules.filter((other) => !same(other));
  if (!remove) access.rules.push(rule);
}

/** Privileges on one path or on all paths that matter, of oneself or, for auditors, of somebody else. */
export function effectivePermissions(call: Call): ApiAnswer {
  const { permissions } = call.platform;
  const { label } = call.identity;
  const userid = call.parameters.optional("userid") ?? label;
  if (userid !== label && splitTokenId(userid)?.user !== label) permissions.check(label, "/access", ["Sys.Audit"]);
  const path = call.parameters.optional("path");
  if (path !== undefined) return answer({ [path]: shownPrivileges(call, userid, path) });
  const entries = knownPaths(call).map((known) => [known, shownPrivileges(call, userid, known)] as const);
  return answer(Object.fromEntries(entries.filter(([, privileges]) => Object.keys(privileges).length > 0)));
}

function shownPrivileges(call: Call, userid: string, path: string): Record<string, number> {
  const privileges = call.platform.permissions.of(userid, path);
  return Object.fromEntries([...privileges].map(([privilege, propagate]) => [privilege, propagate ? 1 : 0]));
}

function knownPaths(call: Call): string[] {
  const { rules, pools } = call.platform.state.access;
  const general = ["/", "/access", "/access/groups", "/nodes", "/pool", "/sdn", "/storage", "/vms"];
  const pooled = [...pools.values()].flatMap((pool) => [
    ...[...pool.vmids].map((vmid) => `/vms/${vmid}`),
    ...[...pool.storages].map((storage) => `/storage/${storage}`),
  ]);
  return [...new Set([...general, ...rules.map((rule) => rule.path), ...pooled])];
}
