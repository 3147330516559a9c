// What the steps of a reinstallation share: what was kept of the guest, and what is to be made of it.
import { guestReinstallInput } from "../../src/actions/guest/guestCreateInput.js";
import { memoryMb } from "../../src/core/inventory/config.js";
import { GuestType } from "../../src/core/enums.js";
import { DroverError } from "../../src/errors.js";
import type { SubjectGrant } from "../../src/hypervisor/access.js";
import type { GuestFirewall } from "../../src/hypervisor/firewall.js";
import type { ContainerRights, GuestAddress } from "../../src/hypervisor/guest.js";
import { secretsOf, type InstallFacts, type Installation } from "../guest/installation.js";
import type { StepContext } from "../step.js";

/** Everything that the new guest gets from the old one; recorded before the old one is touched. */
export interface KeptGuest {
  readonly guest: GuestAddress;
  /** Of its boot disk or root file system. */
  readonly storage: string;
  /** Null: none. */
  readonly pool: string | null;
  /** Of its boot disk or root file system, GiB. */
  readonly diskGb: number;
  /** Settings that stay, as the platform writes them. */
  readonly settings: Readonly<Record<string, string>>;
  /** Means nothing for a machine. */
  readonly containerRights: ContainerRights;
  readonly firewall: GuestFirewall;
  /** What others may do with it: rules of its own. */
  readonly access: readonly SubjectGrant[];
}

export interface ReinstallFacts extends InstallFacts {
  readonly kept?: KeptGuest;
  /** The old guest is gone from the platform. */
  readonly destroyed?: boolean;
}

export type ReinstallContext = StepContext<ReinstallFacts>;

export function keptOf({ facts }: ReinstallContext): KeptGuest {
  if (facts.kept === undefined) throw new DroverError("conflict", "the guest was not examined");
  return facts.kept;
}

export const imageOf = (context: ReinstallContext) => guestReinstallInput.parse(context.job.input).image;

export function installationOf(context: ReinstallContext): Installation {
  const { guest, storage, pool, diskGb, settings, containerRights } = keptOf(context);
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
    containerRights,
    secrets: secretsOf(context),
  };
}
