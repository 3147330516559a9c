// Answers what is on a storage: the list, and reading, making, changing, copying and deleting single volumes.
import type { ApiAnswer } from "../api.js";
import { ApiError, failure, parameterError } from "../api.js";
import { nodeOf } from "../guests/lookup.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { Volume } from "../state/storage.js";
import { isFileStorage, splitVolumeId, volumeId } from "../state/storage.js";
import { checkVolumeAccess } from "../storage/access.js";
import { parseArchiveName } from "../backup/archiveName.js";
import { parseVolumeName, requireVolumeName, volumePath } from "../storage/naming.js";
import type { Archive } from "../state/guest.js";
import { enabledStorage, storageNamed, volumesOn } from "../storage/storages.js";
import { allocate, defaultFormat, findVolume, free } from "../storage/volumes.js";

type Row = Record<string, unknown>;

/** `GET …/content`, filtered by content, guest and access. */
export function listContent(call: Call): ApiAnswer {
  const { parameters, platform } = call;
  const storage = enabledStorage(platform.state, parameters.text("storage"), nodeOf(call));
  const content = parameters.optional("content");
  const vmid = parameters.number("vmid");
  const rows = volumesOn(platform.state, storage, nodeOf(call))
    .filter((volume) => storage.content.includes(shownContent(call, volume)) || volume.content === "images")
    .filter((volume) => content === undefined || shownContent(call, volume) === content)
    .filter((volume) => vmid === undefined || volume.vmid === vmid)
    .filter((volume) => mayAccess(call, volume));
  return answer(rows.map((volume) => contentRow(call, volume)));
}

function mayAccess(call: Call, volume: Volume): boolean {
  try {
    checkVolumeAccess(call, { volid: volumeId(volume) });
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Volumes of containers are `rootdir`, those of VMs and of nobody `images`. */
function shownContent(call: Call, volume: Volume): Volume["content"] {
  const owner = volume.vmid === null ? undefined : call.platform.state.guests.get(volume.vmid);
  const ofContainer = owner?.type === "lxc" || volume.format === "subvol";
  return volume.content === "images" && ofContainer ? "rootdir" : volume.content;
}

function contentRow(call: Call, volume: Volume): Row {
  const plain = {
    volid: volumeId(volume),
    content: shownContent(call, volume),
    format: volume.format,
    size: volume.size,
    ctime: volume.ctime,
  };
  if (volume.vmid === null) return plain;
  if (volume.backup !== undefined) return { ...plain, vmid: volume.vmid, ...backupColumns(volume.backup, true) };
  const row = { ...plain, vmid: volume.vmid };
  if (isFileStorage(storageNamed(call.platform.state, volume.storage)))
    return { ...row, parent: volume.parent === null ? null : `../${volume.parent}`, used: volume.used };
  return volume.parent === null ? row : { ...row, parent: volume.parent };
}

/** Notes and protection show only where they were set; the list has the first line of the notes. */
function backupColumns({ type, notes, protected: isProtected }: Archive, listed: boolean): Row {
  const shown = listed ? notes?.split("\n", 1)[0] : notes;
  return {
    ...(listed ? { subtype: type } : {}),
    ...(shown ? { notes: shown } : {}),
    ...(isProtected === null || (listed && !isProtected) ? {} : { protected: isProtected ? 1 : 0 }),
  };
}

/** The volume in the path, with or without its storage. */
function namedVolume(call: Call): string {
  const volume = call.parameters.text("volume");
  const storage = call.parameters.text("storage");
  if (!volume.includes(":")) return `${storage}:${volume}`;
  const parts = splitVolumeId(volume);
  if (parts === null) throw parameterError({ volume: `unable to parse volume ID '${volume}'\n` });
  if (parts.storage !== storage)
    throw parameterError({ volume: `storage ID mismatch (${parts.storage} != ${storage})\n` });
  return volume;
}

/** `GET …/content/{volume}`. */
export function readVolume(call: Call): ApiAnswer {
  const volid = namedVolume(call);
  checkVolumeAccess(call, { volid });
  const storage = storageNamed(call.platform.state, call.parameters.text("storage"));
  const volume = findVolume(call.platform, volid, nodeOf(call));
  if (volume === null)
    throw failure(
      isFileStorage(storage) ? `volume_size_info on '${volid}' failed - no format` : `volume ${volid} does not exist`,
    );
  // Only images have a format of their own here: a template, an archive or an ISO is just a file.
  const format = volume.content === "images" ? volume.format : "raw";
  const extra = volume.backup === undefined ? {} : backupColumns(volume.backup, false);
  return answer({ path: volumePath(storage, volume.name), size: volume.size, used: volume.used, format, ...extra });
}

/** `PUT …/content/{volume}`: notes and protection, which only backups have. */
export function changeVolume(call: Call): ApiAnswer {
  const volid = namedVolume(call);
  checkVolumeAccess(call, { volid });
  const { parameters, platform } = call;
  const storage = storageNamed(platform.state, parameters.text("storage"));
  const isBackup = requireVolumeName(storage, splitVolumeId(volid)?.name ?? "").content === "backup";
  if (!isBackup && parameters.has("notes")) throw failure("only backups can have notes");
  if (!isBackup && parameters.has("protected")) throw failure("only backups support attribute 'protected'");
  const backup = findVolume(platform, volid, nodeOf(call))?.backup;
  // What is not there can be described all the same; nobody will read it.
  if (backup === undefined) return answer(null);
  if (parameters.has("notes")) backup.notes = parameters.text("notes") || null;
  if (parameters.has("protected")) backup.protected = parameters.flag("protected");
  return answer(null);
}

/** `POST …/content` makes a volume for a guest and answers its id. */
export function makeVolume(call: Call): ApiAnswer {
  const { parameters, platform } = call;
  const storage = storageNamed(platform.state, parameters.text("storage"));
  const name = parameters.text("filename");
  const extension = /\.(raw|qcow2|vmdk)$/.exec(name)?.[1];
  const wanted = parameters.optional("format");
  if (extension !== undefined && wanted !== undefined && wanted !== extension)
    throw parameterError({ format: `different storage formats (${wanted} != ${extension})` });
  const volume = allocate(
    platform,
    {
      storage: storage.name,
      node: nodeOf(call),
      vmid: Number(parameters.text("vmid")),
      format: extension ?? wanted ?? defaultFormat(storage),
      bytes: kibibytes(parameters.text("size")) * 1024,
      name,
    },
    () => {},
  );
  return answer(volumeId(volume));
}

/** A plain number counts KiB. */
function kibibytes(size: string): number {
  const match = /^(\d+)([MG]?)$/.exec(size);
  if (match === null) throw parameterError({ size: `unable to parse size '${size}'` });
  const factors: Readonly<Record<string, number>> = { M: 1024, G: 1024 ** 2 };
  return Number(match[1]) * (factors[match[2] ?? ""] ?? 1);
}

/** `POST …/content/{volume}` → UPID; the copy fails in the real one as well. */
export function copyVolume(call: Call): ApiAnswer {
  const { platform, identity } = call;
  const volid = namedVolume(call);
  return answer(
    platform.tasks.start({
      node: nodeOf(call),
      type: "imgcopy",
      id: "",
      identity,
      run: async (task) => {
        task.log(`DEBUG: starting worker ${task.upid}`);
        await task.sleep(200);
        throw failure(`copy of '${volid}' failed: ssh to the local host is not set up`);
      },
    }),
  );
}

/** Backups belong to whoever may back their guest up. @throws ApiError 403 */
function checkRemoval({ platform, identity }: Call, storage: string, name: string): void {
  const { label } = identity;
  const archive = parseArchiveName(name);
  if (archive === null) return platform.permissions.check(label, `/storage/${storage}`, ["Datastore.Allocate"]);
  platform.permissions.check(label, `/storage/${storage}`, ["Datastore.AllocateSpace"]);
  platform.permissions.check(label, `/vms/${archive.vmid}`, ["VM.Backup"]);
}

/** A file that is gone already is as good as removed. @throws ApiError 500 for protected backups */
function removeVolume({ platform, parameters }: Call, volid: string, log: (line: string) => void): void {
  const storage = storageNamed(platform.state, parameters.text("storage"));
  const volume = findVolume(platform, volid, parameters.text("node"));
  if (volume === null && !isFileStorage(storage)) throw failure(`volume ${volid} does not exist`);
  if (volume === null)
    return log(`disk image '${volumePath(storage, splitVolumeId(volid)?.name ?? "")}' does not exist`);
  if (volume.backup?.protected === true)
    throw failure(`cannot remove protected volume '${volume.name}' on '${storage.name}'`);
  free(platform, volume, log);
}

/** `DELETE …/content/{volume}` → UPID, or null when it was done within `delay` seconds. */
export async function deleteVolume(call: Call): Promise<ApiAnswer> {
  const { platform, identity, parameters } = call;
  const volid = namedVolume(call);
  const storage = storageNamed(platform.state, splitVolumeId(volid)?.storage ?? "");
  const owner = parseVolumeName(storage, splitVolumeId(volid)?.name ?? "")?.vmid ?? null;
  checkRemoval(call, storage.name, splitVolumeId(volid)?.name ?? "");
  const upid = platform.tasks.start({
    node: nodeOf(call),
    type: "imgdel",
    id: owner === null ? storage.name : `${owner}@${storage.name}`,
    identity,
    run: async (task) => {
      await task.sleep(100);
      removeVolume(call, volid, (line) => task.log(line));
      task.log(`Removed volume '${volid}'`);
    },
  });
  const delay = parameters.number("delay");
  if (delay === undefined) return answer(upid);
  await Promise.race([platform.tasks.settled(upid), platform.clock.sleep(delay * 1000)]);
  const exitstatus = platform.tasks.find(upid)?.exitstatus ?? null;
  if (exitstatus === null) return answer(upid);
  if (exitstatus !== "OK") throw failure(exitstatus);
  return answer(null);
}
