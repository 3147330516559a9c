// Does on a simulated node what the agent does on a real one by running `qm` or `pct`.
import type { Platform } from "../platform.js";
import type { GuestType } from "../state/guest.js";
import { configFile } from "../state/guest.js";
import { ControlError } from "./answers.js";

/** `qm unlock` or `pct unlock` of a guest on that node. */
interface Unlock {
  program: "qm" | "pct";
  vmid: string;
}

/**
 * Removes the lock of a guest; a guest without one is left as it is.
 * @throws ControlError with what the command prints
 */
export function unlock(platform: Platform, node: string, { program, vmid }: Unlock): void {
  const type: GuestType = program === "qm" ? "qemu" : "lxc";
  if (!/^[1-9]\d{2,8}$/.test(vmid)) {
    throw new ControlError(400, `400 not enough arguments or bad VMID: '${vmid}'`);
  }
  const guest = platform.state.guests.get(Number(vmid));
  if (guest?.type !== type || guest.node !== node) {
    throw new ControlError(409, `Configuration file '${configFile(type, Number(vmid), node)}' does not exist`);
  }
  delete guest.config.lock;
}
