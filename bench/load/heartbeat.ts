// A heartbeat as an agent of the seeded fleet sends it.
import { agentToken } from "../seed/fleet.js";
import { bearer, type LoadRequest } from "./load.js";

const BEAT = {
  protocol: 1,
  agent_version: "1.0.0",
  hypervisor_version: "9.0.3",
  healthy: true,
  problems: [],
  nat_configured: true,
  public_address: "203.0.113.7",
  cpu_usage: 0.25,
  memory_mb: 524_288,
  memory_used_mb: 131_072,
  results: [],
};

/** Of the fleet's node with this number; with `waitSeconds` it stays until there is work. */
export const heartbeatOf = (node: number, waitSeconds = 0): LoadRequest => ({
  method: "POST",
  path: `/api/v1/agent/heartbeat${waitSeconds > 0 ? `?wait=${waitSeconds}` : ""}`,
  headers: { ...bearer(agentToken(node)), "Content-Type": "application/json" },
  body: JSON.stringify(BEAT),
});
