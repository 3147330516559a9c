// Gives a new guest its size, address and access, and removes the job's mark.
import { GuestType } from "../../src/core/enums.js";
import type { ConfigChange } from "../../src/hypervisor/guest.js";
import type { GuestConfig } from "../../src/hypervisor/guestConfig.js";
import { accessSettings, cloudInitDrive } from "../guest/cloudInit.js";
import { leavesNoTrace, makeEffect } from "../engine/effect.js";
import type { Step } from "../engine/step.js";
import { machineAddress, machineNetwork } from "./network.js";
import { guestOf, inputOf, installationOf, type CreateFacts, type CreateContext } from "./context.js";

const CONFIGURE = "configure";

export const configure: Step<CreateFacts> = {
  name: CONFIGURE,
  weight: 5,
  effect: CONFIGURE,
  async run(context) {
    const hypervisor = await context.hypervisor();
    const guest = guestOf(context);
    await makeEffect(context, {
      name: CONFIGURE,
      start: async () => {
        const config = await hypervisor.guestConfig(guest);
        const change = guest.type === GuestType.QEMU ? machineChange(context, config) : containerChange(config);
        return hypervisor.configure(guest, change);
      },
      find: leavesNoTrace,
      repeatableOn: guest,
    });
    return {};
  },
};

const containerChange = (config: GuestConfig): ConfigChange => ({ remove: present(config, ["description"]) });

function machineChange(context: CreateContext, config: GuestConfig): ConfigChange {
  const { cores, memoryMb, network } = inputOf(context);
  const { secrets, storage } = installationOf(context);
  const balloon = Number(config.settings["balloon"] ?? 0);
  return {
    set: {
      cores,
      sockets: 1,
      memory: memoryMb,
      onboot: true,
      net0: machineNetwork(config.settings["net0"], network),
      ipconfig0: machineAddress(network),
      ...(network.nameservers.length > 0 ? { nameserver: network.nameservers.join(" ") } : {}),
      ...accessSettings(secrets),
      ...cloudInitDrive(config, storage),
    },
    // The template's tags and protection are its own, not of what is made from it.
    remove: present(config, ["description", "tags", "protection", "vcpus", ...(balloon > memoryMb ? ["balloon"] : [])]),
  };
}

/** The platform refuses to remove what is not there on some versions. */
const present = (config: GuestConfig, keys: readonly string[]): string[] =>
  keys.filter((key) => config.settings[key] !== undefined);
