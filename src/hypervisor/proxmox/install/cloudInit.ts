// Gives a machine its owner's password and keys through cloud-init, and the drive that they go by.
import { DiskKind } from "../../../core/inventory/disk.js";
import type { GuestAddress } from "../../guest.js";
import type { GuestConfig } from "../../guestConfig.js";
import type { OwnerAccess } from "../../install.js";
import type { Upid } from "../../task.js";
import type { Ask } from "../client.js";
import { configure, readConfig } from "../guests.js";

const SLOTS = ["ide2", "ide0", "ide1", "ide3", "sata5", "scsi30"];

/** Settings of the machine's access. */
export const accessSettings = ({ password, sshKeys }: OwnerAccess): Record<string, string> => ({
  ...(password === null ? {} : { cipassword: password }),
  ...(sshKeys.length > 0 ? { sshkeys: sshKeys.join("\n") } : {}),
});

const driveOn = (storage: string): string => `${storage}:cloudinit`;

/** A template without a cloud-init drive gets one: without it neither password, keys nor address would reach the guest. */
export function cloudInitDrive(config: GuestConfig, storage: string): Record<string, string> {
  const slot = freeSlot(config);
  return hasDrive(config) || slot === undefined ? {} : { [slot]: driveOn(storage) };
}

/** Whether it has no cloud-init drive, nor room for one. */
export const lacksDrive = (config: GuestConfig): boolean => !hasDrive(config) && freeSlot(config) === undefined;

const hasDrive = ({ disks }: GuestConfig): boolean => disks.some(({ kind }) => kind === DiskKind.CLOUD_INIT);

const freeSlot = ({ settings }: GuestConfig): string | undefined => SLOTS.find((key) => settings[key] === undefined);

/** Another medium in the slot stays. */
export async function recreateCloudInit(
  ask: Ask,
  guest: GuestAddress,
  { key, volume }: { readonly key: string; readonly volume: string },
): Promise<Upid | null> {
  const { disks, digest } = await readConfig(ask, guest, "current");
  const drive = disks.find((disk) => disk.key === key);
  if (drive?.volume !== volume || drive.storage === null) return null;
  return configure(ask, guest, { set: { [key]: driveOn(drive.storage) }, digest });
}
