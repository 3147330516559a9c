// Tells what a target decides about the token of a move, in its own words, from what may pass by itself.
import { PlatformReason } from "../../platformError.js";
import { Refusal } from "../errors.js";

/** Statuses of the platform's own decisions; all others are of what stands before it, or of requests that it does not know. */
const DECIDING = new Set([400, 403, 500]);

/** Faults of the cluster's file system, which has the tokens: short of a lock, of room or of its other members. */
const PASSING =
  /\btime-?out\b|\btimed out\b|\bwith cfs lock\b|\bipcc_send_rec\b|\bunable to open file\b|\batomic file\b|no space left|not connected|connection refused|read-only file system/i;

/** The platform fails with the same status for many other reasons: only what names tokens or a policy is a decision on them. */
const ABOUT_TOKENS = /\btokens?\b|\bpolic(?:y|ies)\b/i;
const FAILED = 500;

const CONTROL_CHARACTERS = /[\s\p{Cc}]+/gu;

/** The form of a token's value. */
const VALUE = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi;

/** @returns why the platform refuses, without anything that could be a token's value; null: it decided nothing, or says nothing */
export function decisionIn(error: unknown): string | null {
  if (!(error instanceof Refusal) || !DECIDING.has(error.status) || !error.isTelling) return null;
  const { reason, status, words } = error;
  if (reason !== PlatformReason.FORBIDDEN && reason !== PlatformReason.REFUSED) return null;
  if (status === FAILED && !ABOUT_TOKENS.test(words)) return null;
  return PASSING.test(words) ? null : words.replaceAll(CONTROL_CHARACTERS, " ").replaceAll(VALUE, "[secret]");
}
