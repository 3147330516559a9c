// Accepts the reinstallation of a guest: checks what is to be installed, and locks the guest together with the job.
import { keyProblems } from "../../access/keyProblems.js";
import { publicKeyLine } from "../../access/publicKey.js";
import { permit } from "../../access/permit.js";
import type { Context } from "../../context/context.js";
import { Permission } from "../../core/access/permissions.js";
import { JobKind } from "../../core/enums.js";
import { guestReinstallProblems, type InstallRequest } from "../../core/guest/specification.js";
import { ofFurtherFields, type Problem } from "../../core/problem.js";
import { gib, gibNeeded } from "../../core/units.js";
import { validationError } from "../../errors/errors.js";
import { createGuestFacts, type CreateGuestFacts } from "../../placement/createGuestFacts.js";
import { UNSIZED_TEMPLATE } from "./createGuestReferences.js";
import { findGuest, refuseUnchangeable, type FoundGuest, type GuestReference } from "./findGuest.js";
import type { GuestImage, ReinstallationInput, GuestSecrets } from "../../job/creationInput.js";
import { queueGuestJob, type QueuedJob } from "./queueGuestJob.js";

/**
 * The guest keeps its VMID, name, size, network cards, addresses, owner, tags and autostart.
 * @throws DroverError `notFound`, `validation` that names every offending field, `conflict` (`GUEST_BUSY`, `SAFETY_COPY`,
 *   `IS_TEMPLATE`, `HOST_INACTIVE`)
 */
export async function reinstallGuest(
  context: Context,
  reference: GuestReference,
  request: InstallRequest,
): Promise<QueuedJob> {
  permit(context, Permission.GUESTS_OPERATE);
  const guest = await findGuest(context, reference);
  const { hostId, node, ownerId } = guest;
  const facts = await createGuestFacts(context, { hostId, node, request: { ...request, ownerId } });
  const ownersKeys = facts.owner?.keys ?? [];
  const malformed = guestReinstallProblems(guest.type, request, ownersKeys.length > 0);
  const problems = [
    ...malformed,
    ...ofFurtherFields(imageProblems(guest, request, facts), malformed),
    ...keyProblems(request.sshKeys),
  ];
  if (problems.length > 0) throw validationError(problems);
  const input: ReinstallationInput = { image: imageOf(request, facts) };
  const secrets: GuestSecrets = {
    password: request.password ?? null,
    sshKeys: [...(request.sshKeys ?? []).map(publicKeyLine), ...ownersKeys],
  };
  return queueGuestJob(context, {
    kind: JobKind.GUEST_REINSTALL,
    reference,
    check: refuseUnchangeable,
    input,
    secrets,
  });
}

/** Problems of what the request refers to. */
function imageProblems(guest: FoundGuest, request: InstallRequest, facts: CreateGuestFacts): Problem[] {
  return [...containerProblems(guest, request, facts), ...templateProblems(guest, request, facts)];
}

function containerProblems(guest: FoundGuest, request: InstallRequest, facts: CreateGuestFacts): Problem[] {
  if ((request.lxcTemplateId ?? null) !== null && facts.container?.active !== true) {
    return [{ field: "lxc_template_id", message: "is no known template" }];
  }
  if (facts.fileNodes === null || facts.fileNodes.some(({ node }) => node === guest.node)) return [];
  const field = facts.container === null ? "os_template" : "lxc_template_id";
  return [{ field, message: `is not available on node ${guest.node}` }];
}

function templateProblems(guest: FoundGuest, request: InstallRequest, { template }: CreateGuestFacts): Problem[] {
  if (!request.osTemplate?.startsWith("tpl:")) return [];
  const fault = template?.active === true ? templateFault(guest, template) : "is no active template";
  return fault === null ? [] : [{ field: "os_template", message: fault }];
}

function templateFault(guest: FoundGuest, template: NonNullable<CreateGuestFacts["template"]>): string | null {
  if (template.hostId !== guest.hostId) return "is a template of another host";
  if (!template.nodes.includes(guest.node)) return `is not available on node ${guest.node}`;
  if (!template.isSized) return UNSIZED_TEMPLATE;
  // Of a disk of unknown size the job asks the host, before it touches anything.
  const { systemDiskBytes: bytes } = guest;
  if (bytes === null || template.minDiskBytes <= bytes) return null;
  return `has a system disk of ${gibNeeded(template.minDiskBytes)}, the guest's has ${gib(bytes)}`;
}

function imageOf(request: InstallRequest, { template, container }: CreateGuestFacts): GuestImage {
  if (template !== null) return { kind: "template", templateId: template.id, node: template.node, vmid: template.vmid };
  return { kind: "file", volid: container?.volid ?? request.osTemplate ?? "" };
}
