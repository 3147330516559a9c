// One-time codes of an authenticator app: six digits, new every 30 seconds (RFC 6238).
import { Secret, TOTP } from "otpauth";

const SECRET_BYTES = 20;
const PERIOD_SECONDS = 30;
/** Steps before and after the present one whose codes count: clocks differ. */
const WINDOW = 1;

/** A key as an app takes it. */
export interface TotpKey {
  /** Base32, to be typed. */
  readonly secret: string;
  /** To be scanned. */
  readonly uri: string;
}

interface KeyOwner {
  /** The service, as the app shows it. */
  readonly issuer: string;
  readonly username: string;
}

/** Makes a key of 160 random bits. */
export function newTotpKey({ issuer, username }: KeyOwner): TotpKey {
  const secret = new Secret({ size: SECRET_BYTES });
  const totp = new TOTP({ issuer, label: username, secret, period: PERIOD_SECONDS });
  return { secret: secret.base32, uri: totp.toString() };
}

const CODE = /^\d{6}$/;

/** @returns the number of the step whose code it is; null: it is wrong, or of none of the steps that count */
export function stepOf(code: string, secret: string, now: Date): number | null {
  if (!CODE.test(code)) return null;
  const totp = new TOTP({ secret: Secret.fromBase32(secret), period: PERIOD_SECONDS });
  const timestamp = now.getTime();
  const delta = totp.validate({ token: code, timestamp, window: WINDOW });
  return delta === null ? null : totp.counter({ timestamp }) + delta;
}
