// Writes the configuration inside an archive, and answers it.
import type { ApiAnswer } from "../api.js";
import { failure } from "../api.js";
import { writeConfig } from "../migration/configText.js";
import { nodeOf } from "../guests/lookup.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { Archive } from "../state/guest.js";
import { checkVolumeAccess } from "../storage/access.js";
import { findArchive } from "./archive.js";

/** The file as it stands in the archive: the description as comments, then the keys by name, then where the disks came from. */
function configFile({ type, config, rawLines, disks }: Archive): string {
  const maps = disks.map(({ key, storage, format }) => `#qmdump#map:${key}:drive-${key}:${storage}:${format}:`);
  const lines = [...rawLines.map(([key, value]) => `${key}: ${value}`), ...(type === "qemu" ? maps : [])];
  return writeConfig(config) + lines.map((line) => `${line}\n`).join("");
}

/** `GET …/vzdump/extractconfig`. */
export function extractConfig(call: Call): ApiAnswer {
  const volid = call.parameters.text("volume");
  checkVolumeAccess(call, { volid, content: "backup" });
  const archive = findArchive(call.platform, volid, nodeOf(call));
  if (archive === null) throw failure(`volume '${volid}' does not exist`);
  return answer(configFile(archive.backup));
}
