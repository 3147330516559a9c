// Puts an observation of the node and the results of jobs into a heartbeat of protocol v1.
import type { Observation } from "./platform/platform.js";
import type { Heartbeat, JobResult } from "./protocol.js";
import { AGENT_VERSION } from "./version.js";

/** The heartbeat to send; `problems` are the observation's and the agent's own. */
export function toHeartbeat(
  observation: Observation,
  problems: readonly string[],
  results: readonly JobResult[],
): Heartbeat {
  return {
    protocol: 1,
    agent_version: AGENT_VERSION,
    hypervisor_version: observation.hypervisorVersion,
    healthy: problems.length === 0,
    problems,
    nat_configured: observation.natConfigured,
    public_address: observation.publicAddress,
    cpu_usage: observation.cpuUsage,
    memory_mb: observation.memoryMb,
    memory_used_mb: observation.memoryUsedMb,
    results,
  };
}
