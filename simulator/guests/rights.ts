// Says what callers need for the endpoints that both guest types have.
import type { Requirement } from "../access/requirement.js";
import { allOf, oneOf, privileges, withParameter } from "../access/requirement.js";

/** All of these privileges on the guest of the path. */
export const may = (...names: string[]): Requirement => privileges("/vms/{vmid}", names);

/** To clone the guest of the path: its own privilege, and one to make the new guest. */
export const mayClone = allOf(
  may("VM.Clone"),
  oneOf(
    privileges("/vms/{newid}", ["VM.Allocate"]),
    withParameter("pool", privileges("/pool/{pool}", ["VM.Allocate"])),
  ),
);
