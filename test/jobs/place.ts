// Names the place that the errors of jobs begin with.
/** Where jobs are at work on the host of these tests, as their errors say it. */
export const PLACE = "node pvea of host pvea";
