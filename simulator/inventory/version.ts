// Answers which Proxmox VE version a node runs.
import type { ApiAnswer } from "../api.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import { releaseFacts } from "../version.js";

/** Version of the node in the path, or of the one that was asked. */
export function version(call: Call): ApiAnswer {
  const name = call.parameters.optional("node") ?? call.answeringNode;
  const full = call.platform.state.nodes.get(name)?.version ?? releaseFacts(call.platform.release).version;
  const release = /^\d+\.\d+/.exec(full)?.[0] ?? full;
  return answer({ version: full, release, repoid: releaseFacts(call.platform.release).repoid });
}
