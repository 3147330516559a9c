// Decides whether an identity may use an existing volume for a guest.
import { failure } from "../api.js";
import type { Call } from "../route.js";
import { superuser } from "../state/access.js";
import { splitVolumeId } from "../state/storage.js";
import type { Release } from "../version.js";
import { requireVolumeName } from "./naming.js";
import { storageNamed } from "./storages.js";

/** A volume somebody wants to use, for which guest, and as what. */
interface VolumeUse {
  volid: string;
  vmid?: number;
  /** Content the volume has to be, where that matters. */
  content?: string;
}

/** Perl tells where it died when a text has no newline. */
const pathCheckLine: Readonly<Record<Release, number>> = { "7.4": 542, "8.4": 569, "9.2": 651 };

/**
 * Owners may use their volumes; images and templates need at least sight of the storage.
 * @throws ApiError 403 or 500
 */
export function checkVolumeAccess(call: Call, use: VolumeUse): void {
  const { permissions, state } = call.platform;
  const { label } = call.identity;
  const parts = splitVolumeId(use.volid);
  if (parts === null) {
    if (label !== superuser)
      throw failure(
        `Only root can pass arbitrary filesystem paths. at /usr/share/perl5/PVE/Storage.pm line ${pathCheckLine[call.platform.release]}.`,
      );
    return;
  }
  const parsed = requireVolumeName(storageNamed(state, parts.storage), parts.name);
  if (
    use.content !== undefined &&
    parsed.content !== use.content &&
    !(use.content === "rootdir" && parsed.content === "images")
  )
    throw failure(`unable to use volume ${use.volid} - content type needs to be '${use.content}'`);
  const path = `/storage/${parts.storage}`;
  if (permissions.has(label, path, ["Datastore.Allocate"])) return;
  if (["iso", "vztmpl", "import"].includes(parsed.content))
    return permissions.checkAny(label, path, ["Datastore.AllocateSpace", "Datastore.Audit"]);
  if (parsed.vmid !== null && parsed.vmid === use.vmid) return;
  if (parsed.vmid === null) throw failure(`missing privileges to access ${use.volid}`);
  permissions.check(label, path, [parsed.content === "backup" ? "Datastore.AllocateSpace" : "Datastore.Audit"]);
  permissions.check(label, `/vms/${parsed.vmid}`, [parsed.content === "backup" ? "VM.Backup" : "VM.Config.Disk"]);
}
