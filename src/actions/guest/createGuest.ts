// Accepts the creation of a guest: checks the request, chooses a node, and reserves everything it needs together with the job.
import { keyProblems } from "../../access/keyProblems.js";
import { publicKeyLine } from "../../access/publicKey.js";
import { JobKind } from "../../core/enums.js";
import { AUTO_NODE, guestCreateProblems, type GuestCreateRequest } from "../../core/guest/specification.js";
import type { Scope } from "../../core/access/scope.js";
import { ofFurtherFields } from "../../core/problem.js";
import type { Context } from "../../context/context.js";
import { GIB } from "../../core/units.js";
import { DroverError, notFound, validationError } from "../../errors/errors.js";
import { withoutQuorum } from "../../hypervisor/platformError.js";
import { requireAll } from "../../reads/engine/requirement.js";
import { hostExists } from "../../reads/models/requirements.js";
import { createGuestFacts, type CreateGuestFacts } from "../../placement/createGuestFacts.js";
import { referenceProblems } from "./createGuestReferences.js";
import { hostInactive } from "../host/hostConnection.js";
import { mayOwn, needsOwner } from "../../access/owner.js";
import type { AcceptedGuest, QueuedGuest } from "../../placement/creation.js";
import { reserveGuest } from "../../placement/reserveGuest.js";

/**
 * Queues the creation of a guest on a host (`hostId`), or on any host in the viewer's scope (null).
 * @throws DroverError notFound (host), validation (every offending field named), conflict
 *   (`HOST_IN_MAINTENANCE`, `NO_QUORUM`, `VMID_TAKEN`, `IP_ZONE_FULL`, `NO_NODE_HAS_ROOM`)
 */
export async function createGuest(
  context: Context,
  hostId: number | null,
  request: GuestCreateRequest,
): Promise<QueuedGuest> {
  // Resellers see hosts by their nodes; for all others the permission has looked at the host already.
  if (hostId !== null && needsOwner(context.viewer)) await requireAll(context, [hostExists(hostId)]);
  const facts = withKnownOwner(context, await createGuestFacts(context, { hostId, request }));
  if (hostId !== null && facts.host === null) throw notFound(`Host ${hostId}`);
  const ownerHasKeys = (facts.owner?.keys.length ?? 0) > 0;
  const malformed = guestCreateProblems(request, { hostGiven: hostId !== null, ownerHasKeys });
  const problems = [
    ...malformed,
    ...ofFurtherFields(referenceProblems({ viewer: context.viewer, request, facts }), malformed),
    ...keyProblems(request.sshKeys),
  ];
  if (problems.length > 0) throw validationError(problems);
  const accepted = accept(request, facts, hostId);
  refuseUnusableHost(facts);
  const queued = await reserveGuest(context, accepted, placementScope(context, facts, hostId));
  context.jobs.wake({ id: queued.jobId, kind: JobKind.GUEST_CREATE });
  return queued;
}

/** One who may not own the guest is as unknown as one who is not there: whether such a person has keys plays no part. */
const withKnownOwner = ({ viewer }: Context, facts: CreateGuestFacts): CreateGuestFacts =>
  facts.owner === null || mayOwn(viewer, facts.owner) ? facts : { ...facts, owner: null };

function accept(request: GuestCreateRequest, facts: CreateGuestFacts, hostId: number | null): AcceptedGuest {
  const { type, name } = request;
  if (type !== "qemu" && type !== "lxc") throw validationError([{ field: "type", message: "must be qemu or lxc" }]);
  const size = facts.plan ?? request;
  const systemDiskGb = size.diskGb ?? 0;
  const furtherDiskGb = (facts.template?.furtherDiskBytes ?? 0) / GIB;
  return {
    type,
    name: name ?? "",
    size: {
      type,
      cores: size.cores ?? 0,
      memoryMb: size.memoryMb ?? 0,
      diskGb: systemDiskGb + furtherDiskGb,
      furtherDiskGb,
    },
    systemDiskGb,
    hostId: hostId ?? facts.template?.hostId ?? facts.zone?.hostId ?? null,
    node: request.node === AUTO_NODE ? null : (request.node ?? null),
    vmid: request.vmid ?? null,
    volid: facts.container?.volid ?? (facts.template === null ? (request.osTemplate ?? null) : null),
    ownerId: facts.owner?.id ?? null,
    planId: facts.plan?.id ?? null,
    password: request.password ?? null,
    sshKeys: [...(request.sshKeys ?? []).map(publicKeyLine), ...(facts.owner?.keys ?? [])],
    facts,
  };
}

function refuseUnusableHost({ host }: CreateGuestFacts): void {
  if (host?.maintenance) {
    throw new DroverError("conflict", `host ${host.name} is in maintenance`, { reason: "HOST_IN_MAINTENANCE" });
  }
  if (host?.active === false) throw hostInactive(host.name);
  if (host?.quorate === false) throw withoutQuorum();
}

/** Where placement may look; a zone or a template of one host narrows it to that host. */
function placementScope({ viewer }: Context, { template, zone }: CreateGuestFacts, hostId: number | null): Scope {
  const bound = hostId ?? template?.hostId ?? zone?.hostId;
  return bound === undefined ? viewer.hostIds : [bound];
}
