// What the steps of a creation share: its frozen input, its findings, and what is to be made.
import { creationInput, type CreationInput } from "../../src/job/creationInput.js";
import type { CreateFacts } from "../../src/job/guestCreate.js";
import type { PlacementRequest } from "../../src/core/placement/snapshot.js";
import { GIB } from "../../src/core/units.js";
import { DroverError } from "../../src/errors/errors.js";
import type { GuestAddress } from "../../src/hypervisor/guest.js";
import type { Installation } from "../../src/hypervisor/install.js";
import { markOf, secretsOf, USUAL_RIGHTS } from "../guest/installation.js";
import type { StepContext } from "../engine/step.js";

export type { CreateFacts };

export type CreateContext = StepContext<CreateFacts>;

export const inputOf = (context: CreateContext): CreationInput => creationInput.parse(context.job.input);

/** What the guest takes on its node, as it was reserved: all disks that will be made. */
export function wantedPlace(context: CreateContext): PlacementRequest {
  const { type, cores, memoryMb, diskGb, furtherDiskBytes = 0 } = inputOf(context);
  const furtherDiskGb = furtherDiskBytes / GIB;
  return { type, cores, memoryMb, diskGb: diskGb + furtherDiskGb, furtherDiskGb };
}

/** The guest under work. */
export function guestOf(context: CreateContext): GuestAddress {
  const node = context.facts.node ?? context.job.node;
  const vmid = context.facts.vmid ?? context.job.vmid;
  if (node === null || vmid === null) throw new DroverError("notFound", "the job names no node or VMID");
  return { type: inputOf(context).type, node, vmid };
}

export function installationOf(context: CreateContext): Installation {
  const { name, image, storage, cores, memoryMb, diskGb, network } = inputOf(context);
  return {
    guest: guestOf(context),
    image,
    storage: context.facts.storage ?? storage,
    pool: null,
    shape: { name, cores, memoryMb, network },
    diskGb,
    containerRights: USUAL_RIGHTS,
    access: secretsOf(context),
    note: markOf(context),
  };
}
