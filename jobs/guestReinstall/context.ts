// What the steps of a reinstallation share: what was kept of the guest, and what is to be made of it.
import { guestReinstallInput } from "../../src/actions/guest/guestCreateInput.js";
import type { KeptGuest, ReinstallFacts } from "../../src/actions/stored/guestReinstall.js";
import { memoryMb } from "../../src/core/inventory/config.js";
import { GuestType } from "../../src/core/enums.js";
import { DroverError } from "../../src/errors/errors.js";
import { secretsOf, USUAL_RIGHTS, type Installation } from "../guest/installation.js";
import type { StepContext } from "../engine/step.js";

export type { KeptGuest, ReinstallFacts };

export type ReinstallContext = StepContext<ReinstallFacts>;

export function keptOf({ facts }: ReinstallContext): KeptGuest {
  if (facts.kept === undefined) throw new DroverError("conflict", "the guest was not examined");
  return facts.kept;
}

export const imageOf = (context: ReinstallContext) => guestReinstallInput.parse(context.job.input).image;

export function installationOf(context: ReinstallContext): Installation {
  const { guest, storage, pool, diskGb, settings, guards } = keptOf(context);
  const isMachine = guest.type === GuestType.QEMU;
  return {
    guest,
    name: settings[isMachine ? "name" : "hostname"] ?? `guest${guest.vmid}`,
    image: imageOf(context),
    storage,
    pool,
    cores: Number(settings["cores"] ?? 1),
    memoryMb: memoryMb(settings),
    diskGb,
    containerNetwork: settings["net0"] ?? null,
    nameservers: [],
    containerRights: guards?.containerRights ?? USUAL_RIGHTS,
    secrets: secretsOf(context),
  };
}
