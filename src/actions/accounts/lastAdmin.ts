// Keeps the service from being left without an admin who can sign in.
import { DroverError } from "../../errors/errors.js";
import type { HeldAccount } from "../../store/user.js";

/** @param held until the transaction ends @throws DroverError `conflict` (`LAST_ADMIN`) for the only admin who can sign in */
export function refuseLastAdmin({ isLastAdmin }: HeldAccount): void {
  if (isLastAdmin)
    throw new DroverError("conflict", "This is the last admin who can sign in", { reason: "LAST_ADMIN" });
}
