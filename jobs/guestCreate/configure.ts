// Gives a new guest its size, address and access, and removes the job's mark.
import { leavesNoTrace, makeEffect } from "../engine/effect.js";
import type { Step } from "../engine/step.js";
import { warnOfHindrances } from "../guest/hindrances.js";
import { guestOf, installationOf, type CreateFacts } from "./context.js";

const CONFIGURE = "configure";

export const configure: Step<CreateFacts> = {
  name: CONFIGURE,
  weight: 5,
  effect: CONFIGURE,
  async run(context) {
    const hypervisor = await context.hypervisor();
    const guest = guestOf(context);
    const installation = installationOf(context);
    await warnOfHindrances(context, hypervisor, installation);
    await makeEffect(context, {
      name: CONFIGURE,
      start: () => hypervisor.setUp(guest, installation),
      find: leavesNoTrace,
      repeatableOn: guest,
    });
    return {};
  },
};
