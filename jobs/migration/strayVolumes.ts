// Names the volumes that a broken transfer left on the target in no guest's configuration: the platform removes them with none.
import { inputOf, targetGuest, targetHost, type MigrationContext } from "./context.js";

/** Clocks of hosts differ; whatever is older was there before. */
const CLOCKS_DIFFER_MS = 60_000;

/** To be asked when nothing has the VMID on the target any longer. @returns what is left behind, or null @throws DroverError platform */
export async function strayVolumes(context: MigrationContext): Promise<string | null> {
  const hypervisor = await targetHost(context);
  const { node, vmid } = targetGuest(context);
  const begun = Date.parse(context.facts.orderedAt ?? "") - CLOCKS_DIFFER_MS;
  const storages = new Set(inputOf(context).storages.map(({ target }) => target));
  const lists = await Promise.all([...storages].map((storage) => hypervisor.volumes(node, storage)));
  const stray = lists
    .flat()
    .filter((volume) => volume.vmid === vmid && volume.createdAt !== null && volume.createdAt >= begun);
  return stray.length === 0
    ? null
    : `${stray.map(({ volid }) => volid).join(", ")} on node ${node}, which no guest has`;
}
