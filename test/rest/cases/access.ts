// Cases of the checks that come first: token, source address, rate limit, scope.
import type { Case } from "../support/case.js";

const hosts = { method: "GET", path: "/hosts" } as const;
const HEARTBEAT = {
  protocol: 1,
  agent_version: "1.0.0",
  hypervisor_version: "8.4.5",
  healthy: true,
  problems: [],
  nat_configured: true,
  public_address: "203.0.113.4",
  cpu_usage: 0.31,
  memory_mb: 65_536,
  memory_used_mb: 20_480,
  results: [],
};
const short = (pattern: string): unknown => ({ error: pattern });

export const accessCases: readonly Case[] = [
  {
    id: "access/no-token",
    must: "MUST answer 401 with the short body when no token is sent",
    request: { ...hosts, token: null },
    status: 401,
    body: short("A bearer token is needed in the Authorization header"),
    headers: { "www-authenticate": /^Bearer$/ },
  },
  {
    id: "access/unknown-token",
    must: "MUST answer 401 when the token is unknown",
    request: { ...hosts, token: `Bearer drv_${"x".repeat(43)}` },
    status: 401,
    body: short("The token is unknown, revoked or expired"),
  },
  {
    id: "access/malformed-token",
    must: "MUST answer 401 when the token is none of the service's",
    request: { ...hosts, token: "Bearer nonsense" },
    status: 401,
  },
  {
    id: "access/basic",
    must: "MUST answer 401 when another scheme is used",
    request: { ...hosts, token: "Basic YWRtaW46YWRtaW4=" },
    status: 401,
  },
  {
    id: "access/revoked",
    must: "MUST answer 401 when the token is revoked",
    request: { ...hosts, token: "revoked" },
    status: 401,
  },
  {
    id: "access/expired",
    must: "MUST answer 401 from the very moment at which the token expires",
    request: { ...hosts, token: "expired" },
    status: 401,
  },
  {
    id: "access/agent-token",
    must: "MUST answer 401 when an agent's token is used",
    request: { ...hosts, token: "agent" },
    status: 401,
  },
  {
    id: "access/unknown-route-without-token",
    must: "MUST answer 401 and not 404 for an unknown route when no token is sent",
    request: { method: "GET", path: "/nonsense", token: null },
    status: 401,
  },
  {
    id: "access/wrong-address",
    must: "MUST answer 403 with the short body when the source address is not allowed",
    request: { ...hosts, token: "restricted" },
    status: 403,
    body: short("The token may not be used from 127.0.0.1"),
  },
  {
    id: "access/allowed-address",
    must: "MUST take the source address that a trusted proxy forwards",
    request: { ...hosts, token: "restricted", headers: { "X-Forwarded-For": "198.51.100.1, 203.0.113.9" } },
    status: 200,
  },
  {
    id: "access/forged-address",
    must: "MUST answer 403 when only an entry that the client wrote is allowed",
    request: { ...hosts, token: "restricted", headers: { "X-Forwarded-For": "203.0.113.9, 198.51.100.1" } },
    status: 403,
  },
  {
    id: "access/scope-list",
    must: "MUST list only the hosts in the token's scope",
    request: { ...hosts, token: "scoped" },
    status: 200,
    body: { data: [{ id: 1 }], meta: { total: 1 } },
  },
  {
    id: "access/out-of-scope",
    must: "MUST answer 403 with the short body for a host outside the token's scope",
    request: { method: "GET", path: "/hosts/2/guests", token: "scoped" },
    status: 403,
    body: short("Host 2 is outside the token's scope"),
  },
  {
    id: "access/out-of-scope-unknown-host",
    must: "MUST answer 403 for a host outside the token's scope that does not exist",
    request: { method: "GET", path: "/hosts/99/guests", token: "scoped" },
    status: 403,
  },
  {
    id: "access/out-of-scope-unknown-route",
    must: "MUST answer 403 and not 404 for an unknown route of a host outside the token's scope",
    request: { method: "GET", path: "/hosts/2/nonsense", token: "scoped" },
    status: 403,
  },
  {
    id: "access/out-of-scope-wrong-method",
    must: "MUST answer 403 and not 405 for a host outside the token's scope",
    request: { method: "PUT", path: "/hosts/2/guests", token: "scoped" },
    status: 403,
  },
  {
    id: "access/heartbeat",
    must: "MUST let an agent's token open the agents' route",
    request: { method: "POST", path: "/agent/heartbeat", token: "agent", json: HEARTBEAT },
    status: 200,
    body: { success: true, data: { node: "pve1", jobs: [] }, error: null },
  },
  {
    id: "access/heartbeat-api-token",
    must: "MUST answer 401 with the short body when an API token is used on the agents' route",
    request: { method: "POST", path: "/agent/heartbeat", json: HEARTBEAT },
    status: 401,
    body: short("The agent token is missing, unknown or was replaced"),
  },
];
