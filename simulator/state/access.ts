// Describes users, API tokens, groups, roles, pools and the access control list.

export interface User {
  userid: string;
  /** Plain text: the simulator guards nothing. Null: no password login. */
  password: string | null;
  enabled: boolean;
  /** Seconds since the epoch; 0 never. */
  expire: number;
  details: Record<string, string>;
  groups: Set<string>;
  tokens: Map<string, Token>;
}

export interface Token {
  secret: string;
  /** True: only what both the user's and the token's own rules allow. */
  privilegeSeparated: boolean;
  /** Seconds since the epoch; 0 never. */
  expire: number;
  comment: string | null;
}

export type SubjectType = "user" | "group" | "token";

/** One row of the access control list. */
export interface AccessRule {
  path: string;
  type: SubjectType;
  /** User, group or full token id. */
  ugid: string;
  roleid: string;
  propagate: boolean;
}

/** Guests and storages that are administered together. */
export interface Pool {
  poolid: string;
  comment: string;
  vmids: Set<number>;
  storages: Set<string>;
}

/** Everything that decides who may do what. */
export interface AccessState {
  users: Map<string, User>;
  /** Members by group. */
  groups: Map<string, Set<string>>;
  groupComments: Map<string, string>;
  roles: Map<string, ReadonlySet<string>>;
  rules: AccessRule[];
  pools: Map<string, Pool>;
}

export const superuser = "root@pam";

/** User and token name of `user@realm!token`, or null when it names no token. */
export function splitTokenId(label: string): { user: string; token: string } | null {
  const match = /^([^\s:/]+@[A-Za-z][A-Za-z0-9.\-_]+)!([A-Za-z][A-Za-z0-9.\-_]+)$/.exec(label);
  return match === null ? null : { user: match[1] ?? "", token: match[2] ?? "" };
}

export function newUser(userid: string, password: string | null): User {
  return { userid, password, enabled: true, expire: 0, details: {}, groups: new Set(), tokens: new Map() };
}

/** Rules of tokens that are gone are lost with the next change of users or tokens, not with the token. */
export function dropStaleRules(access: AccessState): void {
  access.rules = access.rules.filter((rule) => {
    const token = rule.type === "token" ? splitTokenId(rule.ugid) : null;
    return token === null || access.users.get(token.user)?.tokens.has(token.token) === true;
  });
}
