// Answers the storage endpoints: definitions and space.
import type { ApiAnswer } from "../api.js";
import { ApiError } from "../api.js";
import { nodeOf } from "../guests/lookup.js";
import { splitList } from "../parameters/lists.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { StorageDefinition } from "../state/storage.js";
import { isFileStorage } from "../state/storage.js";
import { isOnNode, spaceOf, storageNamed } from "../storage/storages.js";

type Row = Record<string, unknown>;

const sight = ["Datastore.Audit", "Datastore.AllocateSpace"];

function visible(call: Call): StorageDefinition[] {
  return [...call.platform.state.storages.values()].filter((storage) =>
    call.platform.permissions.hasAny(call.identity.label, `/storage/${storage.name}`, sight),
  );
}

/** `GET /storage`: the cluster-wide definitions. */
export function listDefinitions(call: Call): ApiAnswer {
  const type = call.parameters.optional("type");
  return answer(
    visible(call)
      .filter((storage) => type === undefined || storage.type === type)
      .map(definition),
  );
}

/** `GET /storage/{storage}`. */
export function readDefinition(call: Call): ApiAnswer {
  return answer(definition(storageNamed(call.platform.state, call.parameters.text("storage"))));
}

function definition(storage: StorageDefinition): Row {
  const place = isFileStorage(storage)
    ? { path: storage.path }
    : storage.type === "lvm"
      ? { vgname: storage.path }
      : { pool: storage.path };
  return {
    storage: storage.name,
    type: storage.type,
    content: storage.content.join(","),
    ...place,
    priority: 0,
    ...(storage.content.includes("backup") ? { "prune-backups": "keep-all=1" } : {}),
    ...(storage.shared ? { shared: 1 } : {}),
    ...(storage.enabled ? {} : { disable: 1 }),
    ...(storage.nodes === null ? {} : { nodes: storage.nodes.join(",") }),
    digest: "da39a3ee5e6b4b0d3255bfef95601890afd80709",
  };
}

/** `GET /nodes/{node}/storage`. */
export function listNodeStorages(call: Call): ApiAnswer {
  const { parameters } = call;
  const content = splitList(parameters.optional("content") ?? "");
  const only = parameters.optional("storage");
  const target = parameters.optional("target");
  const rows = visible(call)
    .filter((storage) => isOnNode(storage, nodeOf(call)))
    .filter((storage) => only === undefined || storage.name === only)
    .filter((storage) => !parameters.flag("enabled") || storage.enabled)
    .filter((storage) => content.length === 0 || storage.content.some((type) => content.includes(type)))
    .filter(
      (storage) => target === undefined || target === nodeOf(call) || (storage.shared && isOnNode(storage, target)),
    );
  return answer(rows.map((storage) => storageRow(call, storage, true)));
}

function storageRow(call: Call, storage: StorageDefinition, withFraction: boolean): Row {
  const plain = {
    storage: storage.name,
    type: storage.type,
    content: storage.content.join(","),
    shared: storage.shared ? 1 : 0,
    enabled: storage.enabled ? 1 : 0,
    active: storage.enabled ? 1 : 0,
  };
  if (!storage.enabled) return plain;
  const space = spaceOf(call.platform.state, storage, nodeOf(call));
  const fraction = withFraction ? { used_fraction: space.used / space.total } : {};
  return { ...plain, ...space, ...fraction };
}

/** `GET /nodes/{node}/storage/{storage}/status`. */
export function storageStatus(call: Call): ApiAnswer {
  const storage = call.platform.state.storages.get(call.parameters.text("storage"));
  if (storage === undefined || !isOnNode(storage, nodeOf(call)))
    throw new ApiError(500, `storage '${call.parameters.text("storage")}' does not exist`);
  const { storage: _name, ...row } = storageRow(call, storage, false);
  return answer(row);
}
