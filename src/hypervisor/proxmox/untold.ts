// Does without an answer that a host refuses to give, because it does not know the question or the connection may not ask it.
import { isPlatformError, PlatformReason } from "../platformError.js";

/** @returns what is assumed when the host refuses; a host that does not answer, or fails to, is no host that refuses */
export async function unlessRefused<Answer>(
  answer: Promise<Answer>,
  assumed: () => Answer | Promise<Answer>,
): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (!isPlatformError(error, PlatformReason.REFUSED, PlatformReason.FORBIDDEN, PlatformReason.NOT_FOUND))
      throw error;
    return assumed();
  }
}
