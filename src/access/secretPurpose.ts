// The purposes that secrets are sealed for: a value of one cannot be opened as another.
export const HOST_SECRET = "host.secret";
/** Passwords and keys of a job that is not over. */
export const JOB_SECRETS = "job.secrets";
/** A temporary token that lets a source host move a guest to its target. */
export const TOKEN_SECRET = "temporary.token";
