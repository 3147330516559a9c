// The purposes that secrets are sealed for, and the places to which they are bound: a value of one cannot be opened as another.
import type { JobKind } from "../core/enums.js";

export const HOST_SECRET = "host.secret";
/** Passwords and keys of a job that is not over. */
export const JOB_SECRETS = "job.secrets";
/** A temporary token that lets a source host move a guest to its target. */
export const TOKEN_SECRET = "temporary.token";

/** The key of a person's one-time codes. */
export const TOTP_SECRET = "totp.secret";

/** A job as far as its secrets are bound to it. */
export interface SecretJob {
  readonly kind: JobKind;
  readonly hostId: number | null;
}

/** What a job is to do, and the host that it may hand its secrets to. Its node and its VMID may change while it works. */
export const jobSecretsBinding = ({ kind, hostId }: SecretJob) => [kind, hostId] as const;

/** A temporary token as its host knows it. */
export interface SecretToken {
  readonly hostId: number;
  readonly user: string;
  readonly name: string;
}

/** The host that made the token, and its name there. */
export const tokenSecretBinding = ({ hostId, user, name }: SecretToken) => [hostId, user, name] as const;

/** Whose codes the key makes. */
export const totpSecretBinding = (userId: number) => [userId] as const;
