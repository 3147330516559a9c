// Gives the new guest the settings of the old one, and its owner's access.
import { GuestType } from "../../src/core/enums.js";
import type { ConfigChange } from "../../src/hypervisor/guest.js";
import type { GuestConfig } from "../../src/hypervisor/guestConfig.js";
import { accessSettings, cloudInitDrive } from "../guest/cloudInit.js";
import { secretsOf } from "../guest/installation.js";
import { leavesNoTrace, makeEffect } from "../engine/effect.js";
import type { Step } from "../engine/step.js";
import { keptOf, type KeptGuest, type ReinstallFacts, type ReinstallContext } from "./context.js";

export const configure: Step<ReinstallFacts> = {
  name: "configure",
  weight: 5,
  async run(context) {
    const hypervisor = await context.hypervisor();
    const kept = keptOf(context);
    await makeEffect(context, {
      name: "configure",
      start: async () => {
        const config = await hypervisor.guestConfig(kept.guest);
        const { set, remove } = settingsChange(kept, config);
        return hypervisor.configure(kept.guest, { set: { ...set, ...accessOf(context, config) }, remove });
      },
      find: leavesNoTrace,
      repeatableOn: kept.guest,
    });
    return {};
  },
};

/** The old settings, and nothing of what the template brought in their place, the job's mark included. */
function settingsChange(
  { settings }: KeptGuest,
  { settings: values, keptSettings }: GuestConfig,
): Required<Omit<ConfigChange, "digest">> {
  return {
    set: Object.fromEntries(Object.entries(settings).filter(([key, value]) => values[key] !== value)),
    remove: Object.keys(keptSettings).filter((key) => settings[key] === undefined),
  };
}

/** A container got its access when it was made. */
function accessOf(context: ReinstallContext, config: GuestConfig): Record<string, string> {
  const { guest, storage } = keptOf(context);
  if (guest.type === GuestType.LXC) return {};
  return { ...accessSettings(secretsOf(context)), ...cloudInitDrive(config, storage) };
}
