// Has the source node's agent test the connection to the target right before the transfer.
import { REACHABILITY_MS, testReachability } from "../../src/migration/reachability.js";
import { MigrationStep } from "../../src/core/enums.js";
import { DroverError } from "../../src/errors/errors.js";
import { awaitAgent } from "../engine/agentWait.js";
import { wasBegun, type Step } from "../engine/step.js";
import { targetEndpoint } from "./endpoint.js";
import { inputOf, retryTransient, type MigrationFacts } from "./context.js";

const PATIENCE_MS = 10_000;

export const reachability: Step<MigrationFacts> = {
  name: MigrationStep.REACHABILITY,
  weight: 1,
  async run(context) {
    if (wasBegun(context.facts, MigrationStep.TRANSFER)) return {};
    const { source, target } = inputOf(context);
    const endpoint = await retryTransient(context, PATIENCE_MS, () => targetEndpoint(context));
    const reason = `the agent of ${source.node} has not reported yet whether it reaches ${target.node}`;
    const tried = await awaitAgent(context, { reason, timeoutMs: REACHABILITY_MS }, () =>
      testReachability(context.services, source.nodeId, endpoint, context.signal),
    );
    if (tried.reachable) return {};
    const message = `${source.node} does not reach ${target.node}: ${tried.error}`;
    throw new DroverError("conflict", message, { reason: "TARGET_UNREACHABLE" });
  },
};
