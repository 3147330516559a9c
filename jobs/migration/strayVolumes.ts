// Finds the volumes that a broken transfer left on the target without a guest: the platform removes them with none.
import { configOrNull } from "../../src/host/locateGuest.js";
import { disksOn } from "../../src/migration/targetVolumes.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import type { ObservedStorage, StorageVolume } from "../../src/hypervisor/observed.js";
import { isPlatformError, PlatformReason } from "../../src/hypervisor/platformError.js";
import { namesOf, volumesThere } from "./clearTarget.js";
import { inputOf, targetGuest, targetHost, type MigrationContext } from "./context.js";
import { ownTunnel } from "./tunnel.js";

/** Clocks of hosts differ; whatever is older was there before. */
const CLOCKS_DIFFER_MS = 60_000;

/** What has the VMID on the target and stands in no configuration. */
interface Strays {
  /** What the transfer wrote: nothing had the VMID on its storages before, and its own incomplete guest has held it since. */
  readonly own: readonly StorageVolume[];
  /** Whether there are any, and no others: then the platform may remove everything that has the VMID. */
  readonly areAllOwn: boolean;
}

/** To be asked while the transfer's incomplete guest has the VMID. A storage that does not list its volumes proves nothing. @throws DroverError platform */
export async function findStrays(context: MigrationContext): Promise<Strays> {
  const hypervisor = await targetHost(context);
  const { node } = targetGuest(context);
  const storages = (await hypervisor.resources()).storages.filter(
    (storage) => storage.node === node && holdsDisks(storage),
  );
  try {
    const all = await unreferenced(context, hypervisor, storages);
    const log = await logOf(context, hypervisor);
    const own = all.filter((volume) => isOwn(context, volume, { storages, log }));
    return { own, areAllOwn: own.length > 0 && own.length === all.length };
  } catch (error) {
    if (!isPlatformError(error, ...UNANSWERED)) throw error;
    context.log.warn({ err: error }, "what a failed move left on the target's storages is not known");
    return { own: [], areAllOwn: false };
  }
}

const UNANSWERED = [
  PlatformReason.FORBIDDEN,
  PlatformReason.REFUSED,
  PlatformReason.NOT_FOUND,
  PlatformReason.FAILED,
  PlatformReason.UNREACHABLE,
] as const;

const holdsDisks = ({ active, content }: ObservedStorage): boolean =>
  active && (content.includes("images") || content.includes("rootdir"));

async function unreferenced(
  context: MigrationContext,
  hypervisor: Hypervisor,
  storages: readonly ObservedStorage[],
): Promise<readonly StorageVolume[]> {
  const guest = targetGuest(context);
  const [config, volumes] = await Promise.all([
    configOrNull(hypervisor, guest),
    disksOn(
      hypervisor,
      guest.node,
      storages.map(({ name }) => name),
    ),
  ]);
  const named = new Set((config?.disks ?? []).map(({ volume }) => volume));
  return volumes.filter(({ vmid, volid }) => vmid === guest.vmid && !named.has(volid));
}

/** What the receiving end has written down, which names the volumes that it made. */
async function logOf(context: MigrationContext, hypervisor: Hypervisor): Promise<readonly string[]> {
  const tunnel = await ownTunnel(context);
  return tunnel === null ? [] : hypervisor.taskLog(tunnel);
}

interface Evidence {
  readonly storages: readonly ObservedStorage[];
  readonly log: readonly string[];
}

/** On a storage that other hosts may write to as well, only a volume that the transfer names itself. */
function isOwn(context: MigrationContext, { volid, createdAt }: StorageVolume, { storages, log }: Evidence): boolean {
  const storage = storages.find(({ name }) => volid.startsWith(`${name}:`));
  const isWrittenTo = inputOf(context).storages.some(({ target }) => target === storage?.name);
  if (storage === undefined || !isWrittenTo || context.facts.targetWasClear !== true) return false;
  if (createdAt !== null && createdAt < begunAt(context)) return false;
  return !storage.shared || log.some((line) => line.includes(volid));
}

const begunAt = ({ facts }: MigrationContext): number => Date.parse(facts.orderedAt ?? "") - CLOCKS_DIFFER_MS;

/** To be asked when nothing has the VMID on the target any longer. @returns what is left behind, or null @throws DroverError platform */
export async function strayVolumes(context: MigrationContext): Promise<string | null> {
  const found = await volumesThere(context, await targetHost(context));
  const isOld = ({ createdAt }: StorageVolume): boolean => createdAt === null || !(createdAt >= begunAt(context));
  const stray = context.facts.targetWasClear === true ? found : found.filter((volume) => !isOld(volume));
  return stray.length === 0 ? null : `${namesOf(stray)} on node ${targetGuest(context).node}, which no guest has`;
}
