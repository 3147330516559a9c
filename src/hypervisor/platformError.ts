// The refusals of the platform, by the reasons that callers tell apart.
import { DroverError } from "../errors/errors.js";

/** Why the platform did not do what it was asked. */
export const PlatformReason = {
  /** No connection, no TLS, no answer in time, or a node behind the host that does not answer; nothing was changed. */
  UNREACHABLE: "PLATFORM_UNREACHABLE",
  /** The credential is unknown, wrong or expired. */
  AUTHENTICATION: "PLATFORM_AUTHENTICATION",
  /** The credential lacks a privilege. */
  FORBIDDEN: "PLATFORM_FORBIDDEN",
  /** The guest is locked, or another task holds it. */
  LOCKED: "PLATFORM_LOCKED",
  /** No such guest, task or storage. */
  NOT_FOUND: "PLATFORM_NOT_FOUND",
  /** The VMID is taken. */
  EXISTS: "PLATFORM_EXISTS",
  /** The configuration is no longer the one whose digest was sent: read it again. */
  CHANGED: "PLATFORM_CHANGED",
  /** A change whose answer never came: it may have happened. Look before doing it again. */
  UNCERTAIN: "PLATFORM_UNCERTAIN",
  /** It could not start a task for the change (too much load, as a rule): nothing of it was done, and asked again, it may be. */
  NOT_STARTED: "PLATFORM_NOT_STARTED",
  /** It could not answer a question, for reasons of its own (500): asked again, it may. Nothing was changed. */
  FAILED: "PLATFORM_FAILED",
  /** Any other refusal; the message has the platform's own words. */
  REFUSED: "PLATFORM_REFUSED",
  /** An answer to a question that makes no sense: what answers is no platform of a known version. */
  UNINTELLIGIBLE: "PLATFORM_UNINTELLIGIBLE",
} as const;
export type PlatformReason = (typeof PlatformReason)[keyof typeof PlatformReason];

interface Background {
  /** Where it happened, which the message says. */
  readonly place?: string | undefined;
  /** For those who manage hosts. */
  readonly detail?: string | undefined;
  /** For the log only; it must not hold a secret. */
  readonly cause?: unknown;
}

/** @param message for everybody: it names the host, and no address */
export function platformError(reason: PlatformReason, message: string, background: Background = {}): DroverError {
  return new DroverError("platform", message, { reason, ...background });
}

/** @returns where something happens, for people: `node pve2 of host rack2` */
export const placeOf = (host: string, node: string | null): string =>
  node === null ? `host ${host}` : `node ${node} of host ${host}`;

const NO_QUORUM = "NO_QUORUM";

/** What a cluster's minority refuses may be asked for again once it is whole: a state of the host, no fault of it. */
export const withoutQuorum = (): DroverError =>
  new DroverError("conflict", "the host's cluster has no quorum: nothing of it can be changed", {
    reason: NO_QUORUM,
  });

export const isWithoutQuorum = (error: unknown): error is DroverError =>
  error instanceof DroverError && error.reason === NO_QUORUM;

/** @returns whether an error is the platform's with one of these reasons. */
export const isPlatformError = (error: unknown, ...reasons: readonly PlatformReason[]): error is DroverError =>
  error instanceof DroverError && error.kind === "platform" && reasons.some((reason) => reason === error.reason);
