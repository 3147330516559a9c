// Chooses the guests that a backup or a job takes in.
import { splitList } from "../parameters/lists.js";
import type { Call } from "../route.js";

type Options = Readonly<Record<string, string>>;

/** VMIDs on the node of the call, and those named that do not exist: their backup fails visibly. */
export function includedGuests(call: Call, options: Options): number[] {
  const { guests } = call.platform.state;
  const node = options.node === "localhost" ? call.answeringNode : options.node;
  return selectedGuests(call, options).filter((vmid) => {
    const place = guests.get(vmid)?.node;
    return place === undefined || node === undefined || place === node;
  });
}

/** VMIDs that the options mean, wherever they are; of all guests only those that the caller may back up. */
export function selectedGuests(call: Call, options: Options): number[] {
  const { state, permissions } = call.platform;
  if (options.vmid !== undefined) return splitList(options.vmid).map(Number);
  const excluded = new Set(splitList(options.exclude ?? "").map(Number));
  const pool = options.pool === undefined ? null : state.access.pools.get(options.pool);
  if (pool === null && options.all !== "1" && options.exclude === undefined) return [];
  return [...state.guests.keys()]
    .filter((vmid) => pool === null || pool?.vmids.has(vmid) === true)
    .filter((vmid) => !excluded.has(vmid) && permissions.has(call.identity.label, `/vms/${vmid}`, ["VM.Backup"]))
    .toSorted((a, b) => a - b);
}
