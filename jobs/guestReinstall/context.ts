// What the steps of a reinstallation share: what was kept of the guest, and what is to be made of it.
import { reinstallationInput } from "../../src/job/creationInput.js";
import type { KeptGuest, ReinstallFacts } from "../../src/job/guestReinstall.js";
import { DroverError } from "../../src/errors/errors.js";
import type { Installation } from "../../src/hypervisor/install.js";
import { markOf, secretsOf, USUAL_RIGHTS } from "../guest/installation.js";
import type { StepContext } from "../engine/step.js";

export type { KeptGuest, ReinstallFacts };

export type ReinstallContext = StepContext<ReinstallFacts>;

export function keptOf({ facts }: ReinstallContext): KeptGuest {
  if (facts.kept === undefined) throw new DroverError("conflict", "the guest was not examined");
  return facts.kept;
}

export const imageOf = (context: ReinstallContext) => reinstallationInput.parse(context.job.input).image;

export function installationOf(context: ReinstallContext): Installation {
  const { guest, storage, pool, diskGb, settings, guards } = keptOf(context);
  return {
    guest,
    image: imageOf(context),
    storage,
    pool,
    shape: { settings },
    diskGb,
    containerRights: guards?.containerRights ?? USUAL_RIGHTS,
    access: secretsOf(context),
    note: markOf(context),
  };
}
