// Checks the second factor of a person: which they have, and whether a code is one of theirs.
import { networkOf } from "../../access/admission/caller.js";
import { hashRecoveryCode } from "../../access/recoveryCode.js";
import { UnreadableSecret, type SecretBox } from "../../access/secretBox.js";
import { TOTP_SECRET, totpSecretBinding } from "../../access/secretPurpose.js";
import { stepOf } from "../../access/totp.js";
import type { Context } from "../../context/context.js";
import { SecondFactorMethod } from "../../core/enums.js";
import { DroverError } from "../../errors/errors.js";
import * as factors from "../../store/secondFactor.js";
import * as signIns from "../../store/signIn.js";
import type { Connection } from "../../store/tables.js";
import type { UserAccount } from "../../store/user.js";

/** Uses a right code up. @returns false when that has happened meanwhile */
export type CodeUse = (client: Connection) => Promise<boolean>;

/** What may prove beside the password who signs in. @returns none: the person has no second factor */
export async function methodsOf({ pool }: Context, userId: number): Promise<SecondFactorMethod[]> {
  if ((await factors.confirmedKey(pool, userId)) === null) return [];
  const { TOTP, RECOVERY_CODE } = SecondFactorMethod;
  return (await factors.hasRecoveryCodes(pool, userId)) ? [TOTP, RECOVERY_CODE] : [TOTP];
}

const ONE_TIME = /^\d{6}$/;

/**
 * @returns how a one-time code, or a recovery code, is used up; null: it is wrong, or was used
 * @throws DroverError `unauthenticated` (`SECOND_FACTOR_UNREADABLE`) where the service's key is another than when it was set up
 */
export async function useOf(context: Context, userId: number, code: string): Promise<CodeUse | null> {
  const digits = withoutBlanks(code);
  return ONE_TIME.test(digits) ? oneTimeUse(context, userId, digits) : recoveryUse(context, userId, code);
}

async function oneTimeUse({ pool, secrets, clock }: Context, userId: number, code: string): Promise<CodeUse | null> {
  const key = await factors.confirmedKey(pool, userId);
  if (key === null) return null;
  const secret = openKey(secrets, userId, key.sealed);
  if (secret === null) throw unreadableKey();
  const step = stepOf(code, secret, clock.now());
  if (step === null || step <= key.lastStep) return null;
  return (client) => factors.useStep(client, key.id, step);
}

/** @returns the secret of an account's one-time codes; null: no key of the service opens it */
export function openKey(secrets: SecretBox, userId: number, sealed: string): string | null {
  try {
    return secrets.open(sealed, TOTP_SECRET, totpSecretBinding(userId));
  } catch (error) {
    if (error instanceof UnreadableSecret) return null;
    throw error;
  }
}

const unreadableKey = (): DroverError =>
  new DroverError(
    "unauthenticated",
    "No key of this service opens the secret of your one-time codes; use a recovery code, or have your second factor reset",
    { reason: "SECOND_FACTOR_UNREADABLE" },
  );

async function recoveryUse({ pool }: Context, userId: number, code: string): Promise<CodeUse | null> {
  const codeHash = hashRecoveryCode(code);
  if (!(await factors.hasRecoveryCode(pool, userId, codeHash))) return null;
  return (client) => factors.useRecoveryCode(client, userId, codeHash);
}

/** Wrong codes of an account in an hour: with more, a thief of the password would find one by trying, in weeks. */
const MOST_WRONG_CODES = 20;
const HOUR_MS = 3_600_000;

/**
 * Where the person has signed in lately, nobody else's wrong codes keep them out.
 * @throws DroverError `rateLimited` after twenty wrong codes in an hour
 */
export async function refuseGuessing({ pool, clock, sourceIp }: Context, account: UserAccount): Promise<void> {
  const now = clock.now();
  const since = new Date(now.getTime() - HOUR_MS);
  const first = await signIns.lastOfWrongCodes(pool, { userId: account.id, since, most: MOST_WRONG_CODES });
  if (first === null) return;
  if (await signIns.isKnown(pool, { username: account.username, network: networkOf(sourceIp), now })) return;
  const seconds = Math.ceil((first.getTime() - since.getTime()) / 1000);
  throw new DroverError("rateLimited", `Too many wrong codes; try again in ${seconds} s`, {
    retryAfterSeconds: seconds,
  });
}

export const wrongCode = (): DroverError =>
  new DroverError("unauthenticated", "The code is wrong, or was used", { reason: "WRONG_CODE" });

/** Apps show codes in groups. */
export const withoutBlanks = (code: string): string => code.replaceAll(/\s/g, "");
