// Seals and opens the secrets that jobs carry, for the host that they go to.
import { UnreadableSecret, type SecretBox } from "../access/secretBox.js";
import {
  JOB_SECRETS,
  jobSecretsBinding,
  TOKEN_SECRET,
  tokenSecretBinding,
  type SecretJob,
  type SecretToken,
} from "../access/secretPurpose.js";
import { DroverError } from "../errors/errors.js";

/** A job's secrets, as its row has them. */
export const sealedSecrets = (box: SecretBox, job: SecretJob & { readonly secrets: unknown }): string =>
  box.seal(JSON.stringify(job.secrets), JOB_SECRETS, jobSecretsBinding(job));

/** @returns JSON; null: the job has none. @throws DroverError `conflict` when they cannot be opened */
export const openedSecrets = (box: SecretBox, job: SecretJob & { readonly secretsEncrypted: string | null }) => {
  const { secretsEncrypted: sealed } = job;
  if (sealed === null) return null;
  return readable("what the job keeps secret", () => box.open(sealed, JOB_SECRETS, jobSecretsBinding(job)));
};

/** The secret of a move's temporary token, as the ledger has it. */
export const sealedToken = (box: SecretBox, token: SecretToken & { readonly secret: string }): string =>
  box.seal(token.secret, TOKEN_SECRET, tokenSecretBinding(token));

/** @throws DroverError `conflict` when it cannot be opened */
export const openedToken = (box: SecretBox, token: SecretToken & { readonly sealed: string }): string =>
  readable("the secret of the move's token", () => box.open(token.sealed, TOKEN_SECRET, tokenSecretBinding(token)));

function readable(what: string, open: () => string): string {
  try {
    return open();
  } catch (cause) {
    if (!(cause instanceof UnreadableSecret)) throw cause;
    const why = "DROVER_SECRET is not the one that sealed it, or its record was changed past the service";
    throw new DroverError("conflict", `${what} cannot be opened: ${why}`, { cause });
  }
}
