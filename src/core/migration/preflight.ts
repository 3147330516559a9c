// The checks of a whole move, all of them before anything is copied.
import { ATTACHMENT_CHECKS } from "./attachmentChecks.js";
import { runChecks, type Check } from "./check.js";
import { GUEST_CHECKS } from "./guestChecks.js";
import { HARDWARE_CHECKS } from "./hardwareChecks.js";
import type { MoveCheck, MoveFacts } from "./moveFacts.js";
import { NODE_CHECKS } from "./nodeChecks.js";
import { RESOURCE_CHECKS } from "./resourceChecks.js";
import { RIGHTS_CHECKS } from "./rightsChecks.js";
import { STORAGE_CHECKS } from "./storageChecks.js";
import { VERSION_CHECKS } from "./versionChecks.js";

/** Every check, in the order in which an operator would ask. */
export const MOVE_CHECKS: readonly MoveCheck[] = [
  ...NODE_CHECKS,
  ...VERSION_CHECKS,
  ...RIGHTS_CHECKS,
  ...GUEST_CHECKS.map((check) => ({ ...check, finding: ({ guest }: MoveFacts) => check.finding(guest) })),
  ...RESOURCE_CHECKS,
  ...HARDWARE_CHECKS,
  ...STORAGE_CHECKS,
  ...ATTACHMENT_CHECKS,
];

/** @returns the outcome of every check of a move. */
export const preflight = (facts: MoveFacts): Check[] => runChecks(MOVE_CHECKS, facts);
