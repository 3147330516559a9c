// Answers which storages a node has, and their space.
import type { ApiAnswer } from "../api.js";
import { parameterError } from "../api.js";
import { nodeOf } from "../guests/lookup.js";
import { splitList } from "../parameters/lists.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { StorageDefinition } from "../state/storage.js";
import { visibleStorages } from "../storage/definitions.js";
import { isOnNode, spaceOf } from "../storage/storages.js";

type Row = Record<string, unknown>;

/** `GET /nodes/{node}/storage`. */
export function listNodeStorages(call: Call): ApiAnswer {
  const { parameters } = call;
  const content = splitList(parameters.optional("content") ?? "");
  const only = parameters.optional("storage");
  const target = parameters.optional("target");
  const rows = visibleStorages(call)
    .filter((storage) => only === undefined || storage.name === only)
    .filter((storage) => !parameters.flag("enabled") || storage.enabled)
    .filter((storage) => content.length === 0 || storage.content.some((type) => content.includes(type)))
    .filter(
      (storage) => target === undefined || target === nodeOf(call) || (storage.shared && isOnNode(storage, target)),
    );
  return answer(rows.map((storage) => storageRow(call, storage, true)));
}

/** A storage that the node does not have, or that is switched off, is listed all the same, without space. */
function storageRow(call: Call, storage: StorageDefinition, withFraction: boolean): Row {
  const isUsable = storage.enabled && isOnNode(storage, nodeOf(call));
  const plain = {
    storage: storage.name,
    type: storage.type,
    content: storage.content.join(","),
    shared: storage.shared ? 1 : 0,
    enabled: isUsable ? 1 : 0,
    active: isUsable ? 1 : 0,
  };
  if (!isUsable) return { ...plain, total: 0, used: 0, avail: 0 };
  const space = spaceOf(call.platform.state, storage, nodeOf(call));
  const fraction = withFraction ? { used_fraction: space.used / space.total } : {};
  return { ...plain, ...space, ...fraction };
}

/** `GET /nodes/{node}/storage/{storage}/status`. */
export function storageStatus(call: Call): ApiAnswer {
  const storage = call.platform.state.storages.get(call.parameters.text("storage"));
  if (storage === undefined) throw parameterError({ storage: "No such storage." });
  const { storage: _name, ...row } = storageRow(call, storage, false);
  return answer(row);
}
