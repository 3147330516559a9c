// How long the inventory keeps what is over.

/** A guest that is gone can come back for so long, with its id and owner. */
export const GONE_RETENTION_DAYS = 7;
/** Minute samples of a node's load. */
export const SAMPLE_RETENTION_HOURS = 48;
/** What agents were asked, after it has ended: long enough to be looked at when something went wrong. */
export const AGENT_JOB_RETENTION_HOURS = 24;
