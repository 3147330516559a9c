// Expresses what a route demands of its caller: privileges on paths made from parameters, and their combinations.
import { ApiError, permissionError } from "../api.js";
import type { AccessState } from "../state/access.js";
import type { Permissions } from "./permissions.js";

/** What a requirement looks at. */
interface Question {
  permissions: Permissions;
  state: AccessState;
  /** `root@pam` or `root@pam!token`. */
  label: string;
  /** Path and request parameters, not yet checked. */
  parameters: Readonly<Record<string, string>>;
}

/** Throws 403 when the caller may not. */
export type Requirement = (question: Question) => void;

/** Any authenticated identity. */
export const anyone: Requirement = () => {};

/** Only the superuser's ticket, which never reaches a requirement. */
export const superuserOnly: Requirement = () => {
  throw permissionError("user != root@pam");
};

/** All of the privileges on a path such as `/vms/{vmid}`. */
export function privileges(template: string, names: readonly string[]): Requirement {
  return ({ permissions, label, parameters }) => permissions.check(label, fill(template, parameters), names);
}

/** At least one of the privileges on a path. */
export function anyPrivilege(template: string, names: readonly string[]): Requirement {
  return ({ permissions, label, parameters }) => permissions.checkAny(label, fill(template, parameters), names);
}

export function allOf(...requirements: Requirement[]): Requirement {
  return (question) => {
    for (const requirement of requirements) requirement(question);
  };
}

/** One is enough; a refusal then tells no details. */
export function oneOf(...requirements: Requirement[]): Requirement {
  return (question) => {
    if (!requirements.some((requirement) => passes(requirement, question))) throw permissionError();
  };
}

/** The caller is the user named in the path; a token is not. */
export const isThatUser: Requirement = ({ label, parameters, state }) => {
  if (label !== parameters.userid || !state.users.has(label)) throw permissionError();
};

/** One of the privileges on all groups, or on a group of that existing user. */
export function overUser(names: readonly string[]): Requirement {
  return ({ permissions, label, parameters, state }) => {
    const userid = parameters.userid ?? "";
    if (!state.users.has(userid)) throw permissionError();
    if (permissions.hasAny(label, "/access/groups", names)) return;
    const groups = [...state.groups].filter(([, members]) => members.has(userid)).map(([group]) => group);
    if (!groups.some((group) => permissions.hasAny(label, `/access/groups/${group}`, names))) throw permissionError();
  };
}

/** The right to make users in the realm of the one named. */
export const allocatesInRealm: Requirement = ({ permissions, label, parameters }) => {
  const realm = (parameters.userid ?? "").split("@").at(-1) ?? "";
  permissions.check(label, `/access/realm/${realm}`, ["Realm.AllocateUser"]);
};

/** The right to change the access rules of the path in the parameters. */
export const modifiesRules: Requirement = ({ permissions, label, parameters }) => {
  const path = normalizePath(parameters.path ?? "");
  if (path === null) return;
  permissions.checkAny(label, path, permissions.modifiers(path));
};

/** The path in the form that rules are kept in, or null when it cannot be one. */
export function normalizePath(path: string): string | null {
  if (path === "") return null;
  const trimmed = path.replaceAll(/\/+/g, "/").replace(/(?<=.)\/$/, "");
  const absolute = trimmed.startsWith("/") ? trimmed : `/${trimmed}`;
  return /^[A-Za-z0-9.\-_/]+$/.test(absolute) ? absolute : null;
}

/** Empty where the values make it no path: then nobody but the superuser has a right on it. */
function fill(template: string, parameters: Readonly<Record<string, string>>): string {
  return normalizePath(template.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? "")) ?? "";
}

function passes(requirement: Requirement, question: Question): boolean {
  try {
    requirement(question);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return false;
    throw error;
  }
}

/** Holds only when the parameter is given. */
export function withParameter(name: string, requirement: Requirement): Requirement {
  return (question) => {
    if (question.parameters[name] === undefined) throw permissionError();
    requirement(question);
  };
}
