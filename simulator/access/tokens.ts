// Answers the endpoints for the API tokens of a user.
import { randomUUID } from "node:crypto";
import type { ApiAnswer } from "../api.js";
import { failure, parameterError } from "../api.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { Token, User } from "../state/access.js";
import { dropStaleRules } from "../state/access.js";

function userOf(call: Call): User {
  const userid = call.parameters.text("userid");
  const user = call.platform.state.access.users.get(userid);
  if (user === undefined) throw failure(`no such user ('${userid}')`);
  return user;
}

function tokenOf(call: Call): Token {
  const user = userOf(call);
  const tokenid = call.parameters.text("tokenid");
  const token = user.tokens.get(tokenid);
  if (token === undefined) throw failure(`no such token '${tokenid}' for user '${user.userid}'`);
  return token;
}

function shown(token: Token): Record<string, unknown> {
  const comment = token.comment === null ? {} : { comment: token.comment };
  return { privsep: token.privilegeSeparated ? 1 : 0, expire: token.expire, ...comment };
}

export function listTokens(call: Call): ApiAnswer {
  return answer([...userOf(call).tokens].map(([tokenid, token]) => ({ tokenid, ...shown(token) })));
}

export function readToken(call: Call): ApiAnswer {
  return answer(shown(tokenOf(call)));
}

/** The secret is told here and never again; what was sent comes back as it was sent. */
export function createToken(call: Call): ApiAnswer {
  const { parameters } = call;
  const user = userOf(call);
  const tokenid = parameters.text("tokenid");
  if (user.tokens.has(tokenid)) throw parameterError({ tokenid: "Token already exists." });
  dropStaleRules(call.platform.state.access);
  const secret = randomUUID();
  user.tokens.set(tokenid, {
    secret,
    privilegeSeparated: parameters.optional("privsep") !== "0",
    expire: parameters.number("expire") ?? 0,
    comment: parameters.optional("comment") || null,
  });
  const info = { privsep: parameters.optional("privsep") ?? 1, ...sent(call, "expire", "comment") };
  return answer({ "full-tokenid": `${user.userid}!${tokenid}`, value: secret, info });
}

function sent(call: Call, ...names: string[]): Record<string, unknown> {
  const given = names.map((name) => [name, call.parameters.optional(name)] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== ""));
}

export function updateToken(call: Call): ApiAnswer {
  const { parameters } = call;
  const token = tokenOf(call);
  dropStaleRules(call.platform.state.access);
  if (parameters.has("privsep")) token.privilegeSeparated = parameters.flag("privsep");
  token.expire = parameters.number("expire") ?? token.expire;
  if (parameters.has("comment")) token.comment = parameters.text("comment") || null;
  const regenerated = parameters.flag("regenerate") ? regenerate(call, token) : {};
  return answer({ ...shown(token), ...sent(call, "privsep", "expire"), ...regenerated });
}

function regenerate(call: Call, token: Token): Record<string, string> {
  token.secret = randomUUID();
  const full = `${call.parameters.text("userid")}!${call.parameters.text("tokenid")}`;
  return { value: token.secret, "full-tokenid": full };
}

/** Rules of the token stay behind, as in Proxmox VE. */
export function deleteToken(call: Call): ApiAnswer {
  tokenOf(call);
  dropStaleRules(call.platform.state.access);
  userOf(call).tokens.delete(call.parameters.text("tokenid"));
  return answer(null);
}
