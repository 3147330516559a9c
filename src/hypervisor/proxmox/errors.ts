// Turns the platform's refusals into errors of the service, with the platform's message and the reason that it means.
import { STATUS_CODES } from "node:http";
import { DroverError } from "../../errors/errors.js";
import { isPlatformError, PlatformReason, platformError, withoutQuorum } from "../platformError.js";
import type { HttpAnswer } from "./exchange.js";

/** Of what the platform says, so many characters are read for what it means, and so many are passed on. */
const LONGEST_READ = 1000;
const LONGEST_SHOWN = 300;

/** All that the platform says of a parameter that it refuses when the body, which names it, is lost on the way. */
const PARAMETERS_REFUSED = "Parameter verification failed.";

/** @returns whether the platform refused a parameter, and it is lost on the way which one */
export const isUnexplained = (error: unknown): boolean =>
  isPlatformError(error, PlatformReason.REFUSED) && error.message.endsWith(PARAMETERS_REFUSED);

/** Texts of refusals as the platform has written them since 7.3; the first that matches counts. */
const REASON_OF_TEXT: readonly (readonly [RegExp, PlatformReason])[] = [
  [/\bis locked\b|can't lock file|trying to acquire lock.*timeout|got lock request timeout/i, PlatformReason.LOCKED],
  [/\b(?:VM|CT) \d+ already exists|config file already exists|token already exists/i, PlatformReason.EXISTS],
  [/unable to find configuration file|configuration file .* does not exist/i, PlatformReason.NOT_FOUND],
  [/checksum miss?match|detected modified configuration/i, PlatformReason.CHANGED],
  [
    /\b(?:VM|CT) \d+ (?:does not exist|not found)|no such (?:task|token|user|VM|CT)\b|(?:storage|role) '[^']*' does not exist/i,
    PlatformReason.NOT_FOUND,
  ],
];

/** Of what is unreachable nobody has taken the request: nothing was done, and it may be sent again. */
const REASON_OF_STATUS: Readonly<Record<number, PlatformReason>> = {
  401: PlatformReason.AUTHENTICATION,
  403: PlatformReason.FORBIDDEN,
  404: PlatformReason.NOT_FOUND,
  408: PlatformReason.UNREACHABLE,
  429: PlatformReason.UNREACHABLE,
  595: PlatformReason.UNREACHABLE,
};

/** The host, or what stands before it, could not get an answer; whether the request was carried out is open. */
const UNANSWERED = new Set([502, 503, 504, 596, 597, 598, 599]);

/** What makes, starts or moves guests says it, and what changes users and their rights. */
const LOST_QUORUM = /\bno quorum\b/i;

/**
 * A task's process works only once the one that answers has its id: none of these texts comes after it has begun. Tasks can end
 * with them too, of others that they could not start; so they mean this in an answer only.
 */
const NO_WORKER = /\bstart worker failed\b|\bstarting worker failed:/i;

/** What the platform says with a text: a guest that is not there as well as a fault of its own. */
const FAULT = 500;

export const isSuccess = ({ status }: HttpAnswer): boolean => status >= 200 && status < 300;

/** @returns whether a question that was answered like this may be answered properly when it is asked again. */
export const isPassing = (answer: HttpAnswer): boolean =>
  REASON_OF_STATUS[answer.status] === PlatformReason.UNREACHABLE || UNANSWERED.has(answer.status) || isFault(answer);

/** @returns whether a change was answered so that nothing of it can have been done, for want of a task. */
export const isNotStarted = (answer: HttpAnswer): boolean =>
  answer.status === FAULT && NO_WORKER.test(refusalText(answer));

const isFault = (answer: HttpAnswer): boolean =>
  answer.status === FAULT && reasonOfText(refusalText(answer)) === PlatformReason.REFUSED;

/** @returns what a refusal's text means, in an answer or at the end of a task. */
export const reasonOfText = (text: string): PlatformReason =>
  REASON_OF_TEXT.find(([pattern]) => pattern.test(text))?.[1] ?? PlatformReason.REFUSED;

/** A request that was refused. */
interface Refused {
  /** Whether it was to change something: then no answer means that it may have happened. */
  readonly changes: boolean;
  /** Which node of which host it was about, in words. */
  readonly place: string;
  /** Texts to blank out, should the platform repeat them. */
  readonly secrets: readonly string[];
}

/** What the platform has decided, or has failed at, in an answer that says so. */
export class Refusal extends DroverError {
  constructor(
    reason: PlatformReason,
    readonly status: number,
    /** The platform's own, without secrets; longer than those of the message, which are cut. */
    readonly words: string,
    place: string,
  ) {
    super("platform", `${place}: ${shown(words)}`, { reason, place });
  }

  /** Whether the words say more than the status. */
  get isTelling(): boolean {
    return this.words !== STATUS_CODES[this.status] && this.words !== statusInWords(this.status);
  }
}

/** The error for an answer whose status is no success. */
export function refusalError(answer: HttpAnswer, { changes, place, secrets }: Refused): DroverError {
  const whole = withoutSecrets(refusalText(answer), secrets);
  const text = shown(whole);
  const refusal = (reason: PlatformReason, words: string): DroverError => platformError(reason, words, { place });
  if (UNANSWERED.has(answer.status)) {
    return changes
      ? refusal(PlatformReason.UNCERTAIN, `${place}: ${text} (${answer.status}): the change may have been carried out`)
      : refusal(PlatformReason.UNREACHABLE, `${place} cannot be reached: ${asClause(text)} (${answer.status})`);
  }
  if (!changes && isFault(answer)) return refusal(PlatformReason.FAILED, `${place}: ${text}`);
  if (changes && isNotStarted(answer)) return refusal(PlatformReason.NOT_STARTED, `${place}: ${text}`);
  if (answer.status === FAULT && LOST_QUORUM.test(whole)) return withoutQuorum();
  const reason = REASON_OF_STATUS[answer.status] ?? reasonOfText(whole);
  if (reason === PlatformReason.UNREACHABLE) return refusal(reason, `${place} cannot be reached: ${asClause(text)}`);
  if (reason === PlatformReason.AUTHENTICATION) return refusal(reason, `${place} refuses the credential: ${text}`);
  return new Refusal(reason, answer.status, whole, place);
}

const shown = (text: string): string =>
  text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN - 1).toWellFormed()}…` : text;

/** As it follows a colon: the first word of a sentence is no name, unless the next one has a capital too. */
const asClause = (text: string): string =>
  /^[A-Z][a-z]+ [a-z]/.test(text) ? `${text.charAt(0).toLowerCase()}${text.slice(1)}` : text;

/**
 * The platform's own words: `message` of the body with `errors` as "parameter: text", or the reason phrase, which is
 * all that there is before 8.4. Never a page that is made for browsers.
 */
function refusalText(answer: HttpAnswer): string {
  const { message, errors } = refusalBody(answer.body);
  const stated = message || redirection(answer) || phrase(answer);
  const text = [stated, errors.join("; ")].filter((part) => part !== "").join(" ");
  return text.replaceAll(/\s+/g, " ").trim().slice(0, LONGEST_READ);
}

/** Redirections are not followed: the credential is for the host that was connected, and for no other. */
function redirection({ status, location }: HttpAnswer): string {
  if (status < 300 || status >= 400) return "";
  return `it redirects to ${location ?? "another place"} (${status}): connect it under the address of its API`;
}

/** A reason phrase that only names the status says less than a line of plain text in the body, or than what the status means here. */
function phrase({ status, reasonPhrase, body }: HttpAnswer): string {
  const isTelling = reasonPhrase !== "" && reasonPhrase !== STATUS_CODES[status];
  if (isTelling) return reasonPhrase;
  const meaning = status === 400 ? PARAMETERS_REFUSED : reasonPhrase;
  return plainLine(body) || meaning || statusInWords(status);
}

const statusInWords = (status: number): string => `HTTP status ${status}`;

/** The first line of a body that is neither JSON nor a page. */
function plainLine(body: string): string {
  const [line = ""] = body.trim().split("\n", 1);
  return line.startsWith("<") || parseJson(body) !== undefined ? "" : line;
}

function refusalBody(body: string): { message: string; errors: string[] } {
  const parsed = parseJson(body);
  if (typeof parsed !== "object" || parsed === null) return { message: "", errors: [] };
  const message: unknown = Reflect.get(parsed, "message");
  const errors: unknown = Reflect.get(parsed, "errors");
  return {
    message: typeof message === "string" ? message.trim() : "",
    errors: Object.entries(typeof errors === "object" && errors !== null ? errors : {}).map(
      ([parameter, text]) => `${parameter}: ${String(text).trim()}`,
    ),
  };
}

/** @returns the parsed text; undefined when it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.filter((secret) => secret !== "").reduce((cleaned, secret) => cleaned.replaceAll(secret, "[secret]"), text);
