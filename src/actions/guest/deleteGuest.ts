// Accepts the deletion of a guest, safety copies included.
import { permit } from "../../access/permit.js";
import type { Context } from "../../context/context.js";
import { Permission } from "../../core/access/permissions.js";
import { JobKind } from "../../core/enums.js";
import { DroverError } from "../../errors/errors.js";
import type { FoundGuest, GuestReference } from "./findGuest.js";
import { queueGuestJob, type QueuedJob } from "./queueGuestJob.js";

/** @throws DroverError `notFound`, `conflict` (`GUEST_BUSY`, `IS_TEMPLATE`, `HOST_INACTIVE`) */
export async function deleteGuest(context: Context, reference: GuestReference): Promise<QueuedJob> {
  permit(context, Permission.GUESTS_CREATE);
  return queueGuestJob(context, { kind: JobKind.GUEST_DELETE, reference, check: refuseTemplate, secrets: null });
}

/** A template is what guests are made from; it goes by the platform's own means. */
function refuseTemplate({ vmid, template }: FoundGuest): void {
  if (template) throw new DroverError("conflict", `guest ${vmid} is a template`, { reason: "IS_TEMPLATE" });
}
