// The agent's platform on a simulated node: the same words, said to the simulated host's control address.
import { isObject, isText } from "../check.js";
import type { JsonObject } from "../check.js";
import { HttpClient } from "../http.js";
import type { HttpCall } from "../http.js";
import { refusalMessage } from "../protocol.js";
import type { Observation, Platform } from "./platform.js";
import { unlockCommand } from "./platform.js";

interface ControlOptions {
  /** Base URL of the control address, without a trailing slash. */
  readonly control: string;
  readonly node: string;
  readonly publicAddress: string | undefined;
}

const ANSWER_MS = 10_000;

/** A node of the simulated host behind a control address. */
export function createControlPlatform({ control, node, publicAddress }: ControlOptions): Platform {
  const client = new HttpClient();
  const nodeUrl = `${control}/nodes/${encodeURIComponent(node)}`;
  return {
    observe: async () => {
      const state = await ask(client, { method: "GET", url: `${control}/state`, timeoutMs: ANSWER_MS });
      return observation(findNode(state, node), publicAddress ?? null);
    },
    unlockGuest: async (guest, timeoutMs) => {
      const body = { command: unlockCommand(guest) };
      await ask(client, { method: "POST", url: `${nodeUrl}/shell`, body, timeoutMs });
    },
    applyForwards: async (set) => {
      const forwards = set.map(({ protocol, publicPort, guestAddress, guestPort }) => ({
        protocol,
        publicPort,
        guestAddress,
        guestPort,
      }));
      await ask(client, { method: "PUT", url: `${nodeUrl}/forwards`, body: { forwards }, timeoutMs: ANSWER_MS });
    },
    close: () => client.close(),
  };
}

async function ask(client: HttpClient, call: HttpCall): Promise<unknown> {
  const { status, body } = await client.send(call);
  if (status < 200 || status > 299) throw new Error(refusalMessage(status, body));
  return body;
}

function findNode(state: unknown, name: string): JsonObject {
  const nodes: unknown = isObject(state) ? state["nodes"] : undefined;
  const found: unknown = Array.isArray(nodes)
    ? nodes.find((node: unknown) => isObject(node) && node["name"] === name)
    : undefined;
  if (!isObject(found)) throw new Error(`the control address knows no node ${name}`);
  return found;
}

/** A node that is off runs no agent, so there is nothing to say for it. */
function observation(node: JsonObject, publicAddress: string | null): Observation | null {
  if (node["online"] === false) return null;
  const { version, cpu, memTotalMb, memUsedMb } = node;
  if (typeof cpu !== "number" || typeof memTotalMb !== "number" || typeof memUsedMb !== "number") {
    throw new Error("the control address gave no figures of the node");
  }
  return {
    hypervisorVersion: isText(version) ? version : null,
    problems: [],
    natConfigured: true,
    publicAddress,
    // A simulated load may be set to anything; a fraction is between 0 and 1.
    cpuUsage: Math.min(1, Math.max(0, cpu)),
    memoryMb: Math.round(memTotalMb),
    memoryUsedMb: Math.round(memUsedMb),
  };
}
