// Reads the roles of a host, and keeps those that the service needs there.
import { z } from "zod";
import { isAsKept, type KeptRole, type Roles } from "./tokenGrants.js";
import type { ApiAnswer, Ask } from "../client.js";
import { listOf, text, textOrNull, understand } from "../parse.js";
import { apiPath } from "../path.js";
import { unlessRefused } from "../refusedAnswer.js";

const rolesAnswer = listOf(z.object({ roleid: text, privs: textOrNull }));

/** Null: the host does not know the question, or does not tell. */
export async function readRoles(ask: Ask): Promise<Roles | null> {
  const answer = await unlessRefused<ApiAnswer | null>(ask({ method: "GET", path: "/access/roles" }), () => null);
  if (answer === null) return null;
  const rows = understand(rolesAnswer, answer.data, answer.source);
  return new Map(rows.map(({ roleid, privs }) => [roleid, new Set((privs ?? "").split(/[,;\s]+/).filter(Boolean))]));
}

/** Asked first: to make a role that is there is an error in the host's log. Others may make it in the same moment. */
export async function ensureRole(ask: Ask, role: KeptRole): Promise<void> {
  const { name, privileges } = role;
  const roles = await readRoles(ask);
  if (roles !== null && isAsKept(role, roles)) return;
  const privs = privileges.join(",");
  const change = (): Promise<unknown> =>
    ask({ method: "PUT", path: apiPath`/access/roles/${name}`, parameters: { privs } });
  if (roles?.has(name)) {
    await change();
    return;
  }
  try {
    await ask({ method: "POST", path: "/access/roles", parameters: { roleid: name, privs } });
  } catch (error) {
    if (!(error instanceof Error && /already exists/i.test(error.message))) throw error;
    await change();
  }
}
