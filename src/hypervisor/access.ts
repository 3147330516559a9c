// Tokens of a host's users, and what is granted to them and to others.

/** An API token of a user with its realm, such as `root@pam`. */
export interface TokenName {
  readonly user: string;
  readonly name: string;
}

export interface TokenRequest extends TokenName {
  readonly expiresAt: Date;
  /** Whether it has only what is granted to itself, out of what its user has. */
  readonly separated: boolean;
  readonly comment: string;
}

/** An access rule: a role on a path, and on everything below it if it propagates. */
export interface Grant {
  readonly path: string;
  readonly role: string;
  readonly propagate: boolean;
}

/** Whom an access rule is for. */
export type SubjectKind = "user" | "group" | "token";

/** An access rule of somebody. */
export interface SubjectGrant extends Grant {
  readonly kind: SubjectKind;
  /** Such as `ann@pve`, `admins` or `ann@pve!backup`. */
  readonly subject: string;
}
