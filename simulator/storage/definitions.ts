// Answers the definitions of storages, makes, changes and removes them.
import { createHash } from "node:crypto";
import type { ApiAnswer } from "../api.js";
import { failure } from "../api.js";
import { splitList } from "../parameters/lists.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { PlatformState } from "../state/platform.js";
import type { ContentType, StorageDefinition, StorageType } from "../state/storage.js";
import { isContentType, isFileStorage, isStorageType } from "../state/storage.js";
import { storageNamed } from "./storages.js";

type Row = Record<string, unknown>;

const sight = ["Datastore.Audit", "Datastore.AllocateSpace"];
const newStorageBytes = 256 * 1024 ** 3;
/** What each type cannot do without. */
const required: Readonly<Partial<Record<StorageType, readonly string[]>>> = {
  dir: ["path"],
  btrfs: ["path"],
  nfs: ["server", "export"],
  cifs: ["server", "share"],
  lvm: ["vgname"],
  lvmthin: ["vgname", "thinpool"],
  zfspool: ["pool"],
};
/** Options of a definition that decide nothing here but are kept and shown. */
const plainOptions = ["prune-backups", "preallocation", "options", "server", "export", "share", "username", "thinpool"];

/** Storages that the caller may see. */
export function visibleStorages(call: Call): StorageDefinition[] {
  return [...call.platform.state.storages.values()].filter((storage) =>
    call.platform.permissions.hasAny(call.identity.label, `/storage/${storage.name}`, sight),
  );
}

/** `GET /storage`: the cluster-wide definitions. */
export function listDefinitions(call: Call): ApiAnswer {
  const type = call.parameters.optional("type");
  const shown = visibleStorages(call).filter((storage) => type === undefined || storage.type === type);
  return answer(shown.map((storage) => definition(call.platform.state, storage)));
}

/** `GET /storage/{storage}`. */
export function readDefinition(call: Call): ApiAnswer {
  const { state } = call.platform;
  return answer(definition(state, storageNamed(state, call.parameters.text("storage"))));
}

function definition(state: PlatformState, storage: StorageDefinition): Row {
  const { name, type, content, path, nodes, options } = storage;
  const place = isFileStorage(storage)
    ? { path }
    : type === "lvm" || type === "lvmthin"
      ? { vgname: path }
      : { pool: path };
  return {
    storage: name,
    type,
    content: content.join(","),
    ...place,
    ...options,
    ...(options?.priority === undefined ? {} : { priority: Number(options.priority) }),
    ...(storage.shared ? { shared: 1 } : {}),
    ...(options?.shared === undefined ? {} : { shared: Number(storage.shared) }),
    ...(storage.enabled ? {} : { disable: 1 }),
    ...(nodes === null ? {} : { nodes: nodes.join(",") }),
    digest: digestOfStorages(state),
  };
}

/** All definitions stand in one file. */
function digestOfStorages({ storages }: PlatformState): string {
  return createHash("sha1")
    .update(JSON.stringify([...storages.values()]))
    .digest("hex");
}

/** `POST /storage` → its name and type. */
export function createStorage(call: Call): ApiAnswer {
  const { parameters, platform } = call;
  const name = parameters.text("storage");
  const type = parameters.text("type");
  if (!isStorageType(type)) throw failure(`storage type '${type}' is not simulated`);
  const missing = required[type]?.find((option) => !parameters.has(option));
  if (missing !== undefined) throw failure(`missing value for required option '${missing}'`);
  if (platform.state.storages.has(name)) throw failure(`create storage failed: storage ID '${name}' already defined`);
  const storage: StorageDefinition = {
    name,
    type,
    content: contentOf(call) ?? ["images", "rootdir"],
    shared: type === "nfs" || type === "cifs" || parameters.flag("shared"),
    enabled: !parameters.flag("disable"),
    nodes: nodesOf(call),
    path: pathOf(call, name),
    totalBytes: newStorageBytes,
    foreignBytes: 0,
    options: givenOptions(call),
  };
  platform.state.storages.set(name, storage);
  return answer({ storage: name, type });
}

function contentOf({ parameters }: Call): ContentType[] | null {
  const content = parameters.optional("content");
  return content === undefined ? null : splitList(content).filter(isContentType);
}

function nodesOf({ parameters }: Call): string[] | null {
  const nodes = splitList(parameters.optional("nodes") ?? "");
  return nodes.length === 0 ? null : nodes;
}

function pathOf({ parameters }: Call, name: string): string {
  const place = ["path", "vgname", "pool"].map((option) => parameters.optional(option));
  return place.find((value) => value !== undefined) ?? `/mnt/pve/${name}`;
}

function givenOptions({ parameters }: Call): Record<string, string> {
  const names = [...plainOptions, "shared"].filter((name) => parameters.has(name));
  return Object.fromEntries(names.map((name) => [name, parameters.text(name)]));
}

/** `PUT /storage/{storage}`. */
export function updateStorage(call: Call): ApiAnswer {
  const { parameters, platform } = call;
  const storage = changed(call, "update storage failed: ");
  const digest = parameters.optional("digest");
  if (digest !== undefined && digest !== digestOfStorages(platform.state))
    throw failure("update storage failed: detected modified configuration - file changed by other user? Try again.");
  for (const option of splitList(parameters.optional("delete") ?? "")) reset(storage, option);
  storage.content = contentOf(call) ?? storage.content;
  if (parameters.has("nodes")) storage.nodes = nodesOf(call);
  if (parameters.has("disable")) storage.enabled = !parameters.flag("disable");
  if (parameters.has("shared")) storage.shared = parameters.flag("shared");
  storage.options = { ...storage.options, ...givenOptions(call) };
  return answer({ storage: storage.name, type: storage.type });
}

function reset(storage: StorageDefinition, option: string): void {
  if (option === "disable") storage.enabled = true;
  else if (option === "nodes") storage.nodes = null;
  else if (option === "shared") storage.shared = false;
  const { [option]: _removed, ...left } = storage.options ?? {};
  storage.options = left;
}

/** `DELETE /storage/{storage}`: its volumes stay where they are, unseen. */
export function deleteStorage(call: Call): ApiAnswer {
  const { name } = changed(call, "delete storage failed: ");
  call.platform.state.storages.delete(name);
  return answer(null);
}

function changed(call: Call, context: string): StorageDefinition {
  const name = call.parameters.text("storage");
  const storage = call.platform.state.storages.get(name);
  if (storage === undefined) throw failure(`${context}storage '${name}' does not exist`);
  return storage;
}
