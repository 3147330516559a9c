// Makes, grants and removes API tokens for a short time, and reads and writes what others may do with a guest.
import { z } from "zod";
import type { Grant, SubjectGrant, SubjectKind, TokenName, TokenRequest } from "../../access.js";
import type { GuestAddress } from "../../guest.js";
import { isPlatformError, PlatformReason } from "../../platformError.js";
import { TokenRefused } from "../../rights.js";
import type { Ask } from "../client.js";
import { flag, listOf, text, understand } from "../parse.js";
import { apiPath } from "../path.js";
import { NOTHING, unlessUnknown } from "../refusedAnswer.js";
import { decisionIn } from "./tokenDecision.js";

const createdAnswer = z.object({ value: text });
const listAnswer = listOf(z.object({ tokenid: text }));

const tokenPath = ({ user, name }: TokenName): string => apiPath`/access/users/${user}/token/${name}`;

/** `root@pam!name`, as access rules and the `Authorization` header write it. */
export const fullTokenName = ({ user, name }: TokenName): string => `${user}!${name}`;

/** What it takes to make a token of one's own user by another. */
const TOKEN_MAKING = "User.Modify on /access/groups";

/** What the platform says where its policies have not even been asked. */
const PRIVILEGE_MISSING = /permission check failed/i;

/** @returns the secret, which the platform returns only now. @throws TokenRefused, which names the right that is missing; DroverError platform */
export async function createToken(ask: Ask, request: TokenRequest): Promise<string> {
  const path = tokenPath(request);
  const parameters = {
    privsep: request.separated,
    expire: Math.ceil(request.expiresAt.getTime() / 1000),
    comment: request.comment,
  };
  try {
    const { data, source } = await ask({ method: "POST", path, parameters });
    return understand(createdAnswer, data, source).value;
  } catch (error) {
    const decision = decisionIn(error);
    if (decision === null) throw error;
    const words = PRIVILEGE_MISSING.test(decision) ? `it lacks ${TOKEN_MAKING} (${decision})` : decision;
    throw new TokenRefused(words, { cause: error });
  }
}

/** A token that is not there is no error. */
export async function deleteToken(ask: Ask, token: TokenName): Promise<void> {
  try {
    await ask({ method: "DELETE", path: tokenPath(token) });
  } catch (error) {
    if (!isPlatformError(error, PlatformReason.NOT_FOUND)) throw error;
  }
}

/** @returns the names of a user's tokens */
export async function readTokens(ask: Ask, user: string): Promise<readonly string[]> {
  const { data, source } = await ask({ method: "GET", path: apiPath`/access/users/${user}/token` });
  return understand(listAnswer, data, source).map(({ tokenid }) => tokenid);
}

/** Gives a token a role on a path. */
export const grant = (ask: Ask, token: TokenName, rule: Grant): Promise<void> => changeRule(ask, token, { rule });

/** Takes it back; before the token goes, since its rules would stay. A rule or token that is not there is no error. */
export async function revoke(ask: Ask, token: TokenName, rule: Grant): Promise<void> {
  try {
    await changeRule(ask, token, { rule, remove: true });
  } catch (error) {
    if (!isPlatformError(error, PlatformReason.NOT_FOUND)) throw error;
  }
}

const rulesAnswer = listOf(z.object({ path: text, type: text, ugid: text, roleid: text, propagate: flag.optional() }));

/** The parameter that names whom a rule is for. */
const SUBJECT_PARAMETERS: Readonly<Record<SubjectKind, string>> = { user: "users", group: "groups", token: "tokens" };

const isSubjectKind = (kind: string): kind is SubjectKind => Object.hasOwn(SUBJECT_PARAMETERS, kind);

/** The platform shows the rules that the connection may change; auditors see all. */
export async function readGuestAccess(ask: Ask, { vmid }: GuestAddress): Promise<readonly SubjectGrant[]> {
  const { data, source } = await unlessUnknown(ask({ method: "GET", path: "/access/acl" }), () => NOTHING);
  return understand(rulesAnswer, data, source).flatMap(({ path, type, ugid, roleid, propagate }) =>
    path === `/vms/${vmid}` && isSubjectKind(type)
      ? [{ path, kind: type, subject: ugid, role: roleid, propagate: propagate ?? false }]
      : [],
  );
}

export async function grantAccess(ask: Ask, { path, kind, subject, role, propagate }: SubjectGrant): Promise<void> {
  const parameters = { path, roles: role, propagate, [SUBJECT_PARAMETERS[kind]]: subject };
  await ask({ method: "PUT", path: "/access/acl", parameters });
}

async function changeRule(
  ask: Ask,
  token: TokenName,
  { rule, remove }: { rule: Grant; remove?: boolean },
): Promise<void> {
  const parameters = {
    path: rule.path,
    roles: rule.role,
    propagate: rule.propagate,
    tokens: fullTokenName(token),
    delete: remove,
  };
  await ask({ method: "PUT", path: "/access/acl", parameters });
}
