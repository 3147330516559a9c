// Answers the login: a ticket, its CSRF token and what the user may do.
import type { ApiAnswer } from "../api.js";
import { ApiError } from "../api.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";

const areas: Readonly<Record<string, RegExp>> = {
  vms: /^(?:VM\.|Permissions\.Modify)/,
  access: /^(?:User\.|Group\.|Permissions\.Modify)/,
  storage: /^(?:Datastore\.|Permissions\.Modify)/,
  nodes: /^(?:Sys\.|Permissions\.Modify)/,
  sdn: /^(?:SDN\.|Permissions\.Modify)/,
  dc: /^(?:Sys\.Audit|Sys\.Modify|SDN\.)/,
  mapping: /^(?:Mapping\.|Permissions\.Modify)/,
};

/** @throws ApiError 401 "authentication failure", whatever was wrong */
export function login(call: Call): ApiAnswer {
  const { parameters, platform } = call;
  const realm = parameters.optional("realm");
  const userid = realm === undefined ? parameters.text("username") : `${parameters.text("username")}@${realm}`;
  if (!platform.credentials.verifyPassword(userid, parameters.text("password")))
    throw new ApiError(401, "authentication failure");
  const { clusterName } = platform.state;
  const showsCluster = clusterName !== null && platform.permissions.has(userid, "/", ["Sys.Audit"]);
  return answer({
    username: userid,
    ticket: platform.credentials.issueTicket(userid),
    CSRFPreventionToken: platform.credentials.issueCsrfToken(userid),
    cap: capabilities(call, userid),
    ...(showsCluster ? { clustername: clusterName } : {}),
  });
}

/** Privileges by area of the user interface. */
function capabilities(call: Call, userid: string): Record<string, Record<string, number>> {
  const { permissions, state } = call.platform;
  const result: Record<string, Record<string, number>> = Object.fromEntries(
    Object.keys(areas).map((area) => [area, {}]),
  );
  const required = ["/", "/nodes", "/access/groups", "/vms", "/storage", "/sdn", "/mapping"];
  for (const path of new Set([...required, ...state.access.rules.map((rule) => rule.path)])) {
    const area = /^\/(\w+)/.exec(path)?.[1] ?? "dc";
    for (const privilege of permissions.of(userid, path).keys())
      for (const target of area === "pool" ? ["vms", "storage"] : [area])
        if (areas[target]?.test(privilege) === true) result[target] = { ...result[target], [privilege]: 1 };
  }
  return result;
}
