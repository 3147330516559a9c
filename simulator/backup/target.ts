// Finds the storage that a backup goes to.
import { failure } from "../api.js";
import type { PlatformState } from "../state/platform.js";
import type { StorageDefinition } from "../state/storage.js";
import { enabledStorage } from "../storage/storages.js";

/** The storage named, or the usual one. */
export const targetStorage = (options: Readonly<Record<string, string>>): string => options.storage ?? "local";

/** @throws ApiError 500 as the task dies when the storage is missing, or not meant for backups */
export function requireBackupStorage(state: PlatformState, name: string, node: string): StorageDefinition {
  const context = `could not get storage information for '${name}': `;
  let storage: StorageDefinition;
  try {
    storage = enabledStorage(state, name, node);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw failure(`could not activate storage '${name}': ${why}\n${context}${why}`);
  }
  if (!storage.content.includes("backup"))
    throw failure(`${context}can't use storage '${name}' for backups - wrong content type`);
  return storage;
}
