// Sets up one-time codes as a person's second factor, and removes them.
import { hashRecoveryCode, newRecoveryCodes } from "../../access/recoveryCode.js";
import { TOTP_SECRET, totpSecretBinding } from "../../access/secretPurpose.js";
import { newTotpKey, stepOf, type TotpKey } from "../../access/totp.js";
import type { Context } from "../../context/context.js";
import { inTransaction } from "../../db/transaction.js";
import { DroverError, notFound } from "../../errors/errors.js";
import * as factors from "../../store/secondFactor.js";
import * as settings from "../../store/setting.js";
import type { Connection } from "../../store/tables.js";
import * as users from "../../store/user.js";
import { ownAccount, personOf } from "./checkedPassword.js";
import { findManaged, holdManaged } from "./findUser.js";
import { openKey, withoutBlanks, wrongCode } from "./secondFactor.js";

/**
 * Begins a key, which counts for nothing until a code confirms it; the one that was confirmed before stays until then.
 * @returns the key; only here
 * @throws DroverError `forbidden` for an API token; `unauthenticated` when the account was deleted meanwhile
 */
export async function beginTotp(context: Context): Promise<TotpKey> {
  const { userId, username } = personOf(context);
  const { pool, secrets, config } = context;
  const key = newTotpKey({ issuer: config.brand, username });
  const sealed = secrets.seal(key.secret, TOTP_SECRET, totpSecretBinding(userId));
  if (!(await factors.begin(pool, userId, sealed))) throw new DroverError("unauthenticated", "The account is gone");
  return key;
}

/**
 * Makes the begun key the person's second factor, and uses the code up.
 * @returns ten recovery codes; only here. Earlier ones no longer count.
 * @throws DroverError `conflict` when no key was begun (`TOTP_NOT_BEGUN`), or another at the same moment (`TOTP_CHANGED`);
 *   `unauthenticated` (`WRONG_CODE`); `forbidden` for an API token
 */
export async function confirmTotp(context: Context, code: string): Promise<string[]> {
  const { userId } = personOf(context);
  const { pool, secrets, clock, events } = context;
  const begun = await factors.begunKey(pool, userId);
  const secret = begun && openKey(secrets, userId, begun.sealed);
  if (begun === null || secret === null)
    throw new DroverError("conflict", "No key was begun", { reason: "TOTP_NOT_BEGUN" });
  const step = stepOf(withoutBlanks(code), secret, clock.now());
  if (step === null) throw wrongCode();
  const codes = newRecoveryCodes();
  await inTransaction(pool, async (client) => {
    if (!(await factors.confirm(client, { userId, begun, step })))
      throw new DroverError("conflict", "Another key was begun at the same moment", { reason: "TOTP_CHANGED" });
    await factors.replaceRecoveryCodes(client, userId, codes.map(hashRecoveryCode));
  });
  events.emitLocal("access", 0);
  return codes;
}

/**
 * Removes the person's own one-time codes, and their recovery codes with them.
 * @returns false when they had none
 * @throws DroverError `unauthenticated` (`WRONG_PASSWORD`), counted as at sign-in; `rateLimited`; `conflict`
 *   (`LAST_SECOND_FACTOR`) where the role must have one; `forbidden` for an API token
 */
export async function removeTotp(context: Context, password: string): Promise<boolean> {
  const person = personOf(context);
  const { id } = await ownAccount(context, person, password);
  if ((await settings.secondFactorRoles(context.pool)).includes(person.role))
    throw new DroverError("conflict", "Your role needs a second factor; another key can replace this one", {
      reason: "LAST_SECOND_FACTOR",
    });
  return removeFactors(context, id, () => Promise.resolve());
}

/**
 * Removes all second factors of a user who has lost them; where the role needs one, their sessions may only set up another.
 * @returns false when they had none
 * @throws DroverError `notFound` also for users whom the caller does not see; `forbidden`; `conflict` (`OWN_ACCOUNT`)
 */
export async function resetSecondFactor(context: Context, id: number): Promise<boolean> {
  await findManaged(context, id);
  if (context.viewer.kind === "user" && context.viewer.userId === id)
    throw new DroverError("conflict", "Remove your own second factor with your password", { reason: "OWN_ACCOUNT" });
  return removeFactors(context, id, (client) => holdManaged(context, client, id));
}

/** Removes all second factors of any account, for the operator of the machine. @throws DroverError notFound */
export const resetAnySecondFactor = (context: Context, id: number): Promise<boolean> =>
  removeFactors(context, id, async (client) => {
    if ((await users.holdForChange(client, id)) === null) throw notFound(`User ${id}`);
  });

async function removeFactors(
  { pool, events }: Context,
  id: number,
  hold: (client: Connection) => Promise<unknown>,
): Promise<boolean> {
  const isRemoved = await inTransaction(pool, async (client) => {
    await hold(client);
    return factors.removeAll(client, id);
  });
  events.emitLocal("access", 0);
  return isRemoved;
}
