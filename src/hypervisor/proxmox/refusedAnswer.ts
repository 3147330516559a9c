// Replaces an answer that a host refuses to give, because it does not know the question or denies permission, by a default.
import { isPlatformError, PlatformReason } from "../platformError.js";
import type { ApiAnswer } from "./client.js";

/** The answer of a host that does not know the question to a list. */
export const NOTHING: ApiAnswer = { data: [], total: undefined, source: "nobody", place: "nowhere" };

const { FORBIDDEN, NOT_FOUND, REFUSED } = PlatformReason;

/** @returns what is assumed when the host refuses; a host that does not answer, or fails to, is no host that refuses */
export const unlessRefused = <Answer>(
  answer: Promise<Answer>,
  assumed: () => Answer | Promise<Answer>,
): Promise<Answer> => unless([REFUSED, FORBIDDEN, NOT_FOUND], answer, assumed);

/** The same, but a denied permission is reported: it can be granted. */
export const unlessUnknown = <Answer, Assumed>(
  answer: Promise<Answer>,
  assumed: () => Assumed | Promise<Assumed>,
): Promise<Answer | Assumed> => unless([REFUSED, NOT_FOUND], answer, assumed);

async function unless<Answer, Assumed>(
  refusals: readonly PlatformReason[],
  answer: Promise<Answer>,
  assumed: () => Assumed | Promise<Assumed>,
): Promise<Answer | Assumed> {
  try {
    return await answer;
  } catch (error) {
    if (!isPlatformError(error, ...refusals)) throw error;
    return assumed();
  }
}
