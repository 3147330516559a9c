// Has the source node's agent test the connection to the target right before the transfer.
import { REACHABILITY_MS, testReachability } from "../../src/actions/migration/reachability.js";
import { MigrationStep } from "../../src/core/enums.js";
import { DroverError } from "../../src/errors.js";
import { awaitAgent } from "../agentWait.js";
import { wasBegun, type Step } from "../step.js";
import { targetEndpoint } from "./endpoint.js";
import { inputOf, patiently, type MigrationFacts } from "./world.js";

const PATIENCE_MS = 10_000;

export const reachability: Step<MigrationFacts> = {
  name: MigrationStep.REACHABILITY,
  weight: 1,
  async run(world) {
    if (wasBegun(world.facts, MigrationStep.TRANSFER)) return {};
    const { source, target } = inputOf(world);
    const endpoint = await patiently(world, PATIENCE_MS, () => targetEndpoint(world));
    const reason = `the agent of ${source.node} has not told yet whether it reaches ${target.node}`;
    const tried = await awaitAgent(world, { reason, timeoutMs: REACHABILITY_MS }, () =>
      testReachability(world.services, source.nodeId, endpoint, world.signal),
    );
    if (tried.reachable) return {};
    const message = `${source.node} does not reach ${target.node}: ${tried.error}`;
    throw new DroverError("conflict", message, { reason: "TARGET_UNREACHABLE" });
  },
};
