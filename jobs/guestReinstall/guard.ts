// Gives the new guest what the platform forgot together with the old one: its firewall, and what others may do with it.
import { DroverError } from "../../src/errors/errors.js";
import { isSameFirewall } from "../../src/hypervisor/firewall.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import { isPlatformError, PlatformReason } from "../../src/hypervisor/platformError.js";
import { PASSING_FOR_REPEATABLE, retryTransient } from "../engine/retry.js";
import { leavesNoTrace, makeEffect } from "../engine/effect.js";
import type { Step } from "../engine/step.js";
import { keptOf, type KeptGuest, type ReinstallFacts } from "./context.js";

type Guards = NonNullable<KeptGuest["guards"]>;

const PATIENCE = { patienceMs: 5 * 60_000, passing: PASSING_FOR_REPEATABLE };

/** @throws DroverError conflict: what could not be given back is refused before anything is touched */
export async function examineGuards(
  hypervisor: Hypervisor,
  guest: KeptGuest["guest"],
): Promise<Pick<Guards, "firewall" | "access">> {
  const [firewall, access] = await Promise.all([hypervisor.guestFirewall(guest), hypervisor.guestAccess(guest)]);
  if (firewall.complaints.length > 0) {
    const why = firewall.complaints.join(", ");
    throw new DroverError("conflict", `the guest has firewall rules that could not be written again: ${why}`);
  }
  for (const rule of access) await requireGrantable(hypervisor, rule);
  return { firewall, access };
}

/** Who may write which access rule only the platform knows: it is asked to write the one that is there as it is. */
async function requireGrantable(hypervisor: Hypervisor, rule: Guards["access"][number]): Promise<void> {
  try {
    await hypervisor.grantAccess(rule);
  } catch (error) {
    if (!isPlatformError(error, PlatformReason.FORBIDDEN, PlatformReason.REFUSED, PlatformReason.NOT_FOUND))
      throw error;
    const lost = `${rule.role} of ${rule.subject} on ${rule.path}`;
    throw new DroverError(
      "conflict",
      `the guest has an access rule that could not be written again: ${lost} (${error.message})`,
    );
  }
}

/** Before it is started: a guest must not run unguarded. A clone has what its template has, until then. */
export const guard: Step<ReinstallFacts> = {
  name: "firewall",
  weight: 2,
  async run(context) {
    const { guest, guards } = keptOf(context);
    if (guards === null) {
      context.warn("the version that removed the old guest recorded neither its firewall nor its access rules");
      return {};
    }
    const { firewall } = guards;
    const hypervisor = await context.hypervisor();
    await makeEffect(context, {
      name: "firewall",
      start: async () => {
        await hypervisor.writeGuestFirewall(guest, firewall);
        return null;
      },
      find: leavesNoTrace,
      repeatableOn: guest,
    });
    if (!isSameFirewall(await hypervisor.guestFirewall(guest), firewall)) {
      throw new DroverError("platform", "the platform did not take the guest's firewall as it was");
    }
    return {};
  },
};

/** Nobody but those that lack a right notices when this fails: the guest is started all the same. */
export const grant: Step<ReinstallFacts> = {
  name: "access",
  weight: 1,
  onError: "warn",
  async run(context) {
    const { guest, guards } = keptOf(context);
    const access = guards?.access ?? [];
    if (access.length === 0) return {};
    const hypervisor = await context.hypervisor();
    await makeEffect(context, {
      name: "access",
      start: async () => {
        for (const rule of access) await retryTransient(context, PATIENCE, () => hypervisor.grantAccess(rule));
        return null;
      },
      find: leavesNoTrace,
      repeatableOn: guest,
    });
    return {};
  },
};
