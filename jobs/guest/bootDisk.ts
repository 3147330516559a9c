// Finds the boot disk of a virtual machine, and grows it.
import { GuestType } from "../../src/core/enums.js";
import { DiskKind, guestDisks, type Disk } from "../../src/core/inventory/disk.js";
import type { GuestAddress } from "../../src/hypervisor/guest.js";
import type { Upid } from "../../src/hypervisor/task.js";
import { leavesNoTrace, makeEffect } from "../engine/effect.js";
import type { StepContext } from "../engine/step.js";
import { DroverError } from "../../src/errors/errors.js";

/** Grows it to this size; a disk that has it, or is larger, stays. @throws DroverError with the platform's words */
export async function growBootDisk(context: StepContext, guest: GuestAddress, bytes: number): Promise<void> {
  const hypervisor = await context.hypervisor();
  const grow = async (): Promise<Upid | null> => {
    const disk = bootDisk((await hypervisor.guestConfig(guest)).values);
    if (disk === null) throw new DroverError("platform", "the template has no disk");
    return (disk.bytes ?? 0) >= bytes ? null : hypervisor.resize(guest, disk.key, bytes);
  };
  await makeEffect(context, { name: "resize", start: grow, find: leavesNoTrace, repeatableOn: guest });
}

/** The first disk of the boot order (of old templates, the one boot disk that they name), else the first data disk; null when there is none. */
export function bootDisk(values: Readonly<Record<string, string>>): Disk | null {
  const disks = guestDisks(GuestType.QEMU, values).filter(({ kind }) => kind === DiskKind.DATA);
  const order = /order=([^,]+)/.exec(values["boot"] ?? "")?.[1]?.split(";") ?? [values["bootdisk"]];
  return order.flatMap((key) => disks.filter((disk) => disk.key === key))[0] ?? disks[0] ?? null;
}
