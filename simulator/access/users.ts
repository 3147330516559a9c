// Answers the endpoints for users, groups and realms.
import { createHash } from "node:crypto";
import type { ApiAnswer } from "../api.js";
import { failure, parameterError } from "../api.js";
import { splitList } from "../parameters/lists.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { User } from "../state/access.js";
import { newUser } from "../state/access.js";

const realms = [
  { realm: "pam", type: "pam", comment: "Linux PAM standard authentication" },
  { realm: "pve", type: "pve", comment: "Proxmox VE authentication server" },
];

export function listUsers(call: Call): ApiAnswer {
  const { access } = call.platform.state;
  const { label } = call.identity;
  const seesAll = call.platform.permissions.hasAny(label, "/access/groups", ["User.Modify", "Sys.Audit"]);
  const visible = [...access.users.values()].filter((user) => seesAll || user.userid === label);
  return answer(visible.toSorted((a, b) => (a.userid < b.userid ? -1 : 1)).map(userRow));
}

function userRow(user: User): Record<string, unknown> {
  const realm = realms.find((known) => user.userid.endsWith(`@${known.realm}`));
  return {
    userid: user.userid,
    enable: user.enabled ? 1 : 0,
    expire: user.expire,
    ...user.details,
    ...(realm === undefined ? {} : { "realm-type": realm.type }),
  };
}

export function createUser(call: Call): ApiAnswer {
  const { parameters, platform } = call;
  const userid = parameters.text("userid");
  const { users, groups } = platform.state.access;
  if (users.has(userid)) throw failure(`create user failed: user '${userid}' already exists`);
  const user = newUser(userid, parameters.optional("password") ?? null);
  user.enabled = parameters.optional("enable") !== "0";
  user.expire = parameters.number("expire") ?? 0;
  user.details = parameters.without("userid", "password", "enable", "expire", "groups");
  for (const group of splitList(parameters.optional("groups") ?? "")) {
    const members = groups.get(group);
    if (members === undefined) throw failure(`create user failed: no such group '${group}'`);
    members.add(userid);
    user.groups.add(group);
  }
  users.set(userid, user);
  return answer(null);
}

export function readUser(call: Call): ApiAnswer {
  const user = existing(call);
  const tokens = [...user.tokens].map(
    ([tokenid, token]) => [tokenid, { privsep: token.privilegeSeparated ? 1 : 0, expire: token.expire }] as const,
  );
  const { enabled, expire, details, groups } = user;
  return answer({
    enable: enabled ? 1 : 0,
    expire,
    ...details,
    groups: [...groups].toSorted(),
    tokens: Object.fromEntries(tokens),
  });
}

export function deleteUser(call: Call): ApiAnswer {
  const user = existing(call, "delete user failed: ");
  if (user.userid === call.identity.label) throw parameterError({ userid: "unable to delete yourself" });
  const { access } = call.platform.state;
  access.users.delete(user.userid);
  for (const members of access.groups.values()) members.delete(user.userid);
  access.rules = access.rules.filter((rule) => rule.ugid !== user.userid);
  return answer(null);
}

function existing(call: Call, context = ""): User {
  const userid = call.parameters.text("userid");
  const user = call.platform.state.access.users.get(userid);
  if (user === undefined) throw failure(`${context}no such user ('${userid}')`);
  return user;
}

export function listGroups(call: Call): ApiAnswer {
  const { permissions, state } = call.platform;
  const visible = [...state.access.groups].filter(([groupid]) =>
    permissions.hasAny(call.identity.label, `/access/groups/${groupid}`, [
      "User.Modify",
      "Sys.Audit",
      "Group.Allocate",
    ]),
  );
  return answer(
    visible.map(([groupid, members]) => ({
      groupid,
      ...commentOf(call, groupid),
      users: [...members].toSorted().join(","),
    })),
  );
}

/** `GET /access/groups/{groupid}`. */
export function readGroup(call: Call): ApiAnswer {
  const groupid = call.parameters.text("groupid");
  const members = call.platform.state.access.groups.get(groupid);
  if (members === undefined) throw failure(`group '${groupid}' does not exist`);
  return answer({ ...commentOf(call, groupid), members: [...members].toSorted() });
}

function commentOf(call: Call, groupid: string): { comment?: string } {
  const comment = call.platform.state.access.groupComments.get(groupid);
  return comment === undefined ? {} : { comment };
}

export function createGroup(call: Call): ApiAnswer {
  const groupid = call.parameters.text("groupid");
  const { groups, groupComments } = call.platform.state.access;
  const comment = call.parameters.optional("comment");
  if (groups.has(groupid)) throw failure(`create group failed: group '${groupid}' already exists`);
  groups.set(groupid, new Set());
  if (comment !== undefined && comment !== "") groupComments.set(groupid, comment);
  return answer(null);
}

export function listRealms(): ApiAnswer {
  return answer(realms);
}

/** `GET /access/domains/{realm}`; the digest is that of an empty file, as on a host where no realm was added. */
export function readRealm(call: Call): ApiAnswer {
  const wanted = call.parameters.text("realm");
  const found = realms.find(({ realm }) => realm === wanted);
  if (found === undefined) throw failure(`domain '${wanted}' does not exist`);
  const { type, comment } = found;
  return answer({ type, comment, digest: createHash("sha1").digest("hex") });
}
