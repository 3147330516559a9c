// Repeats a choice of VMIDs that another change overtook: jobs on guests that exist lock one without the reservation lock of its host.
import { DroverError } from "../errors/errors.js";
import { brokenUnique } from "../db/unique.js";

const OVERTAKING: ReadonlySet<string> = new Set(["resource_lock_pkey", "vmid_reservation_pkey"]);

/** Whether a VMID was taken between the look at it and its reservation. */
export const isOvertaken = (error: unknown): boolean => OVERTAKING.has(brokenUnique(error) ?? "");

/** How often a VMID is looked for, when what was found free is taken before it is reserved. */
const LOOKS = 5;

/** Looks for a VMID, and reserves it, in a transaction of its own each time. @throws DroverError conflict `VMID_TAKEN` */
export async function unlessOvertaken<Result>(reserve: () => Promise<Result>): Promise<Result> {
  for (let look = 1; look < LOOKS; look++) {
    try {
      return await reserve();
    } catch (error) {
      if (!isOvertaken(error)) throw error;
    }
  }
  return reserve().catch((error: unknown) => {
    if (!isOvertaken(error)) throw error;
    const message = "other changes took each VMID that was chosen: try again";
    throw new DroverError("conflict", message, { reason: "VMID_TAKEN", cause: error });
  });
}
