// Compares the guest's disks with what has arrived of them, says what is different, and recreates a lost cloud-init drive.
import { configOrNull } from "../../src/host/locateGuest.js";
import { diskDifferences, type DiskDifference } from "../../src/core/migration/arrivedDisks.js";
import type { Disk } from "../../src/core/inventory/disk.js";
import { DroverError } from "../../src/errors/errors.js";
import type { GuestConfig } from "../../src/hypervisor/guestConfig.js";
import { removeVolumes, volumesThere } from "./clearTarget.js";
import {
  finish,
  retryTransient,
  sourceGuest,
  sourceHost,
  targetGuest,
  targetHost,
  type MigrationContext,
  type RemadeDrive,
} from "./context.js";

const PATIENCE_MS = 20_000;

/**
 * May be repeated: a drive that was recreated is reported again.
 * @returns what is different, a sentence each; none for a move that a release began which did not note the disks
 * @throws DroverError platform
 */
export async function checkArrivedDisks(context: MigrationContext): Promise<readonly string[]> {
  const { disks } = context.facts;
  if (disks === undefined) return [];
  const config = await (await targetHost(context)).guestConfig(targetGuest(context));
  const differences = await differencesOf(context, disks, config);
  const lost = differences
    .flatMap(({ lostCloudInit }) => lostCloudInit ?? [])
    .filter(({ volume }) => config.ownVolumes.includes(volume));
  if (lost.length > 0) await context.remember({ remadeDrives: [...remadeBefore(context), ...lost.map(asRemade)] });
  const remade: string[] = [];
  for (const drive of remadeBefore(context)) remade.push(await remake(context, drive));
  const others = differences.filter(({ key }) => !remadeBefore(context).some((drive) => drive.key === key));
  return [...others.map(({ text }) => `on the target ${text}`), ...remade];
}

const remadeBefore = ({ facts }: MigrationContext): readonly RemadeDrive[] => facts.remadeDrives ?? [];

const asRemade = ({ key, volume }: Disk): RemadeDrive => ({ key, volume });

/** The platform sets right what a configuration said wrong of a size, at both ends: then the original says the same by now. */
async function differencesOf(
  context: MigrationContext,
  disks: readonly Disk[],
  { disks: arrived }: GuestConfig,
): Promise<readonly DiskDifference[]> {
  const differences = diskDifferences(disks, arrived);
  if (differences.length === 0) return [];
  const original = await originalDisks(context);
  const sizes = new Map(original.map(({ key, bytes }) => [key, bytes]));
  const corrected = disks.map((disk) => ({ ...disk, bytes: sizes.get(disk.key) ?? disk.bytes }));
  return diskDifferences(corrected, arrived);
}

/** None when the source does not tell: what was noted before the transfer counts then. */
async function originalDisks(context: MigrationContext): Promise<readonly Disk[]> {
  try {
    return (await configOrNull(await sourceHost(context), sourceGuest(context)))?.disks ?? [];
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof DroverError)) throw error;
    context.log.warn({ err: error }, "the original could not be looked at");
    return [];
  }
}

/** @returns what was done, or why it was not */
async function remake(context: MigrationContext, drive: RemadeDrive): Promise<string> {
  const told = `${drive.key} had arrived as a CD drive with ${drive.volume}, and`;
  try {
    await retryTransient(context, PATIENCE_MS, () => attach(context, drive));
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof DroverError)) throw error;
    return `${told} could not be made a cloud-init drive again (${error.message}): addresses and passwords do not reach the guest`;
  }
  const left = await dropArrived(context, drive);
  return `${told} is a cloud-init drive again${left === null ? "" : `; ${left}`}`;
}

async function attach(context: MigrationContext, drive: RemadeDrive): Promise<void> {
  const hypervisor = await targetHost(context);
  await finish(context, hypervisor, await hypervisor.recreateCloudInit(targetGuest(context), drive));
}

/** The platform lets go of a medium without removing it. @returns what is left of it, or null */
async function dropArrived(context: MigrationContext, { volume }: RemadeDrive): Promise<string | null> {
  try {
    const hypervisor = await targetHost(context);
    const { disks } = await hypervisor.guestConfig(targetGuest(context));
    if (disks.some((disk) => disk.volume === volume)) return null;
    const there = (await volumesThere(context, hypervisor)).filter(({ volid }) => volid === volume);
    await removeVolumes(context, hypervisor, there);
    return null;
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof DroverError)) throw error;
    return `${volume} is left on the target, which no guest has (${error.message})`;
  }
}
