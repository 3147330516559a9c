// Warns of what of a guest's image keeps its owner's access, or its address, from the guest.
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import type { Hindrance, Installation } from "../../src/hypervisor/install.js";
import type { InstallContext } from "./installation.js";

/** To be called before the guest is set up. What is found is recorded: a successor no longer sees what was taken off. @throws Fenced */
export async function warnOfHindrances(
  context: InstallContext,
  hypervisor: Hypervisor,
  installation: Installation,
): Promise<void> {
  const known = context.facts.hindrances;
  const found = known ?? (await hypervisor.hindrances(installation.guest, installation)).map(inWords);
  if (known === undefined && found.length > 0) await context.remember({ hindrances: found });
  for (const hindrance of found) context.warn(hindrance);
}

const HIDDEN: Readonly<Record<Hindrance["hides"][number], string>> = {
  access: "the password and SSH keys",
  network: "the address",
};

function inWords({ setting, hides, isTakenOff }: Hindrance): string {
  const hidden = hides.map((what) => HIDDEN[what]).join(" and ");
  if (isTakenOff) return `${setting} of the template was taken off: ${hidden} would not have reached the guest`;
  return `${setting}: ${hidden} did not reach the guest`;
}
