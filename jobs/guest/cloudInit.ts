// Gives a cloned machine its owner's password and keys through cloud-init.
import type { GuestSecrets } from "../../src/actions/guest/guestCreateInput.js";
import { DiskKind } from "../../src/core/inventory/disk.js";
import type { GuestConfig } from "../../src/hypervisor/guestConfig.js";

const SLOTS = ["ide2", "ide0", "ide1", "ide3", "sata5", "scsi30"];

/** Settings of the machine's access. */
export const accessSettings = ({ password, sshKeys }: GuestSecrets): Record<string, string> => ({
  ...(password === null ? {} : { cipassword: password }),
  ...(sshKeys.length > 0 ? { sshkeys: sshKeys.join("\n") } : {}),
});

/** A template without a cloud-init drive gets one: without it neither password, keys nor address would reach the guest. */
export function cloudInitDrive(config: GuestConfig, storage: string): Record<string, string> {
  if (config.disks.some(({ kind }) => kind === DiskKind.CLOUD_INIT)) return {};
  const slot = SLOTS.find((key) => config.settings[key] === undefined);
  return slot === undefined ? {} : { [slot]: `${storage}:cloudinit` };
}
