// Has a node's agent remove the platform's lock from a guest, which no API token can do.
import { askAgent } from "../../src/host/askAgent.js";
import { configOrNull } from "../../src/host/locateGuest.js";
import { DroverError } from "../../src/errors/errors.js";
import type { GuestAddress } from "../../src/hypervisor/guest.js";
import type { GuestConfig } from "../../src/hypervisor/guestConfig.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import { awaitAgent } from "../engine/agentWait.js";
import type { MigrationContext } from "./context.js";

const ANSWER_MS = 90_000;

interface LockedGuest {
  readonly hypervisor: Hypervisor;
  readonly nodeId: number;
  readonly guest: GuestAddress;
}

/**
 * @returns the configuration of the guest, unlocked; null when there is none any longer
 * @throws DroverError unavailable (`AGENT_SILENT`), platform (`AGENT_FAILED`, or still locked)
 */
export async function unlockGuest(
  context: MigrationContext,
  { hypervisor, nodeId, guest }: LockedGuest,
): Promise<GuestConfig | null> {
  const config = await configOrNull(hypervisor, guest);
  if (config === null || config.lock === null) return config;
  const payload = { type: guest.type, vmid: guest.vmid };
  const { services, signal } = context;
  const reason = `the agent of ${guest.node} has not unlocked guest ${guest.vmid} yet`;
  await awaitAgent(context, { reason, timeoutMs: ANSWER_MS }, () =>
    askAgent(services, { nodeId, kind: "unlock_guest", payload, timeoutMs: ANSWER_MS, signal }),
  );
  const after = await configOrNull(hypervisor, guest);
  const lock = after?.lock ?? null;
  if (lock === null) return after;
  throw new DroverError("platform", `guest ${guest.vmid} on ${guest.node} is still locked: ${lock}`);
}
