// Encrypts all stored secrets with the current key, so that the previous one can be withdrawn.
import type { Pool } from "pg";
import { UnreadableSecret, type SecretBox } from "../../access/secretBox.js";
import {
  HOST_SECRET,
  JOB_SECRETS,
  jobSecretsBinding,
  TOKEN_SECRET,
  tokenSecretBinding,
  TOTP_SECRET,
  totpSecretBinding,
} from "../../access/secretPurpose.js";
import * as jobs from "../../store/job/secret.js";
import type { RenewedSecret, SealedSecret, SecretPage } from "../../store/sealedSecret.js";
import * as hosts from "../../store/host/record.js";
import * as secondFactors from "../../store/secondFactor.js";
import * as temporaryTokens from "../../store/temporaryToken.js";
import { hostSecretBinding } from "../host/hostConnection.js";

const PAGE = 500;

/** The secrets of one table. */
interface Secrets<Secret extends SealedSecret> {
  /** As people name them. */
  readonly kind: string;
  readonly read: (pool: Pool, page: SecretPage) => Promise<Secret[]>;
  /** @returns null when nothing is to be renewed. @throws UnreadableSecret */
  readonly renewed: (box: SecretBox, secret: Secret) => string | null;
  readonly replace: (pool: Pool, renewed: RenewedSecret) => Promise<void>;
}

/** How the secrets of one kind were found. */
export interface Rotated {
  readonly kind: string;
  /** Already under the current key, and in the current form. */
  readonly current: number;
  readonly renewed: number;
  /** Ids of the records whose secret no configured key opens. */
  readonly unreadable: readonly number[];
}

interface Rotating {
  readonly pool: Pool;
  readonly secrets: SecretBox;
}

/** Renews what is not current; may be interrupted and repeated, beside a running service. */
export const rotateSecrets = async (services: Rotating): Promise<Rotated[]> => [
  await rotate(services, {
    kind: "hosts",
    read: hosts.sealedSecrets,
    renewed: (box, host) => box.renewed(host.sealed, HOST_SECRET, hostSecretBinding(host)),
    replace: hosts.replaceSecret,
  }),
  await rotate(services, {
    kind: "jobs",
    read: jobs.sealedSecrets,
    renewed: (box, { sealed, ...job }) => box.renewed(sealed, JOB_SECRETS, jobSecretsBinding(job)),
    replace: jobs.replaceSecret,
  }),
  await rotate(services, {
    kind: "temporary tokens",
    read: temporaryTokens.sealedSecrets,
    renewed: (box, { sealed, ...token }) => box.renewed(sealed, TOKEN_SECRET, tokenSecretBinding(token)),
    replace: temporaryTokens.replaceSecret,
  }),
  await rotate(services, {
    kind: "keys of one-time codes",
    read: secondFactors.sealedSecrets,
    renewed: (box, { sealed, userId }) => box.renewed(sealed, TOTP_SECRET, totpSecretBinding(userId)),
    replace: secondFactors.replaceSecret,
  }),
];

async function rotate<Secret extends SealedSecret>(
  { pool, secrets: box }: Rotating,
  { kind, read, renewed, replace }: Secrets<Secret>,
): Promise<Rotated> {
  const counts = { current: 0, renewed: 0 };
  const unreadable: number[] = [];
  for (let page = await read(pool, { after: 0, most: PAGE }); page.length > 0;) {
    for (const secret of page) {
      try {
        const after = renewed(box, secret);
        if (after === null) counts.current++;
        else {
          await replace(pool, { id: secret.id, before: secret.sealed, after });
          counts.renewed++;
        }
      } catch (error) {
        if (!(error instanceof UnreadableSecret)) throw error;
        unreadable.push(secret.id);
      }
    }
    page = await read(pool, { after: page.at(-1)?.id ?? 0, most: PAGE });
  }
  return { kind, ...counts, unreadable };
}
