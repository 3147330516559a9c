// Gives the new guest the settings of the old one, and its owner's access.
import { leavesNoTrace, makeEffect } from "../engine/effect.js";
import type { Step } from "../engine/step.js";
import { installationOf, keptOf, type ReinstallFacts } from "./context.js";

export const configure: Step<ReinstallFacts> = {
  name: "configure",
  weight: 5,
  async run(context) {
    const hypervisor = await context.hypervisor();
    const { guest } = keptOf(context);
    await makeEffect(context, {
      name: "configure",
      start: () => hypervisor.setUp(guest, installationOf(context)),
      find: leavesNoTrace,
      repeatableOn: guest,
    });
    return {};
  },
};
