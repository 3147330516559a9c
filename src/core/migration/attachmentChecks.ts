// The checks of what a host keeps for a guest beside its configuration: none of it goes along by itself.
import { Severity } from "../enums.js";
import type { MoveCheck } from "./moveFacts.js";

const inPool: MoveCheck = {
  code: "POOL_LEFT_BEHIND",
  severity: Severity.WARNING,
  passed: "the guest is in no pool of the source",
  finding: ({ attachments: { pool } }) =>
    pool === null ? null : `the guest is in pool ${pool} of the source, and will be in none on the target`,
};

const backedUp: MoveCheck = {
  code: "BACKUPS_LEFT_BEHIND",
  severity: Severity.WARNING,
  passed: "no backup job of the source takes in the guest, or one of the target does",
  finding: ({ attachments: { backupJobs } }) =>
    backupJobs.length === 0
      ? null
      : `backup jobs of the source take in the guest, and none of the target will: ${backupJobs.join(", ")}`,
};

const accessRules: MoveCheck = {
  code: "ACCESS_RULES_LEFT_BEHIND",
  severity: Severity.WARNING,
  passed: "no user has rights of their own on the guest",
  finding: ({ attachments: { accessRules: rules } }) =>
    rules.length === 0 ? null : `rights on the guest stay on the source: ${rules.join(", ")}`,
};

const firewallNames: MoveCheck = {
  code: "FIREWALL_NAMES_UNKNOWN",
  severity: Severity.WARNING,
  passed: "the guest's firewall names nothing that the target does not define",
  finding: ({ attachments: { firewallNames: names } }) => {
    if (names === undefined) return undefined;
    if (names.length === 0) return null;
    return `the target skips rules of the guest's firewall, since it does not define what they name: ${names.join(", ")}`;
  },
};

const firewallOff: MoveCheck = {
  code: "FIREWALL_OFF_ON_TARGET",
  severity: Severity.WARNING,
  passed: "the guest's firewall is in force on the target, or is not in force now",
  finding: ({ attachments: { firewallOff: isOff }, target: { node } }) => {
    if (isOff === undefined) return undefined;
    return isOff ? `the guest's firewall is in force, and that of ${node} is switched off as a whole` : null;
  },
};

/** Every check of what belongs to a guest. */
export const ATTACHMENT_CHECKS: readonly MoveCheck[] = [inPool, backedUp, accessRules, firewallNames, firewallOff];
