// The progress of a guest's transfer to another host, as its source reports it.
import type { PlatformReason } from "./platformError.js";
import type { Upid } from "./task.js";

/** What is asked about a transfer. */
export interface TransferQuestion {
  /** Bytes of each volume that is copied as it lies, by its name on the source. */
  readonly volumes: ReadonlyMap<string, number>;
  /** Bytes that the transfer copies. */
  readonly total: number;
}

/** How a transfer ended. */
export interface TransferEnd {
  readonly succeeded: boolean;
  /** Whether the source still reports progress. */
  readonly isKnown: boolean;
  /** Why it failed, in the platform's words; of one that succeeded with warnings, what they are. */
  readonly reason: string;
  /** What its end means; null when it succeeded or nobody knows. */
  readonly failure: PlatformReason | null;
}

/** One look at a transfer. */
export interface TransferSight {
  /** The lines of its log that say more than how far it is. */
  readonly log: readonly string[];
  /** Whether the log has grown since the look before. */
  readonly hasGrown: boolean;
  /** Bytes; null while the source reports no figure. Never fewer than before, never more than the total. */
  readonly copied: number | null;
  /** The target's task that receives the guest, as the source says; null: it has not said yet. */
  readonly receivedBy: Upid | null;
  /** Null: it has not ended. */
  readonly end: TransferEnd | null;
}

/** A transfer that is watched. */
export interface TransferWatch {
  /** The state comes before the log, which is then complete. @throws DroverError platform when the source does not tell */
  look(): Promise<TransferSight>;
}
