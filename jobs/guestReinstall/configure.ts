// Gives the new guest the settings of the old one, and its owner's access.
import { leavesNoTrace, makeEffect } from "../engine/effect.js";
import type { Step } from "../engine/step.js";
import { warnOfHindrances } from "../guest/hindrances.js";
import { installationOf, keptOf, type ReinstallFacts } from "./context.js";

export const configure: Step<ReinstallFacts> = {
  name: "configure",
  weight: 5,
  async run(context) {
    const hypervisor = await context.hypervisor();
    const { guest } = keptOf(context);
    const installation = installationOf(context);
    await warnOfHindrances(context, hypervisor, installation);
    await makeEffect(context, {
      name: "configure",
      start: () => hypervisor.setUp(guest, installation),
      find: leavesNoTrace,
      repeatableOn: guest,
    });
    return {};
  },
};
