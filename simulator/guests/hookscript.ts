// Checks the script that a guest's start and stop are to call.
import { failure } from "../api.js";
import { nodeOf } from "./lookup.js";
import type { Call } from "../route.js";
import { splitVolumeId } from "../state/storage.js";
import { requireVolumeName } from "../storage/naming.js";
import { storageNamed } from "../storage/storages.js";
import { findVolume } from "../storage/volumes.js";

/** @throws ApiError 500 when it is no script of a storage */
export function checkHookscript(call: Call, volid: string): void {
  const parts = splitVolumeId(volid);
  if (parts === null) throw failure(`unable to parse volume ID '${volid}'`);
  const { content } = requireVolumeName(storageNamed(call.platform.state, parts.storage), parts.name);
  if (content !== "snippets") throw failure(`'${volid}' is not in the snippets directory`);
  if (findVolume(call.platform, volid, nodeOf(call)) === null) throw failure(`script '${volid}' does not exist`);
}
