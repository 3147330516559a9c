// A person who has one-time codes: how they got them, and what their app shows.
import { Secret, TOTP } from "otpauth";
import { beginTotp, confirmTotp } from "../../src/actions/accounts/totp.js";
import type { Context } from "../../src/context/context.js";

/** Milliseconds that one code counts as the present one. */
export const STEP_MS = 30_000;

/** The code that an app shows at a moment. */
export const codeAt = (secret: string, moment: Date): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: moment.getTime() });

/** What a person keeps who has set up one-time codes. */
export interface OwnFactors {
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

/** Sets one-time codes up for the caller; the present code is used up by it. */
export async function setUpTotp(context: Context): Promise<OwnFactors> {
  const { secret } = await beginTotp(context);
  return { secret, recoveryCodes: await confirmTotp(context, codeAt(secret, context.clock.now())) };
}
