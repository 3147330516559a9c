// Says why a host gave no answer: in plain words for everybody, and in those of the network for operators.
/** Why there was no answer. */
export interface Fault {
  /** Plain words without an address, to follow the host's name and a colon. */
  readonly words: string;
  /** What those who manage the host want to know besides. */
  readonly detail?: string;
}

/** A fault that this driver found itself. */
export class KnownFault extends Error implements Fault {
  override readonly name: string = "KnownFault";

  constructor(
    readonly words: string,
    readonly detail?: string,
  ) {
    super(detail === undefined ? words : `${words} (${detail})`);
  }
}

const NO_WAY = "no way in the network leads to it";
const BROKEN_OFF = "it broke the connection off";
const NO_TLS = "it does not speak TLS as this service does";
const NO_HTTP = "its answer is no HTTP";
const NOTHING_CAME = "no answer came";

const WORDS_OF_CODE: Readonly<Record<string, string>> = {
  ENOTFOUND: "the name of its address is not found",
  EAI_AGAIN: "the name of its address cannot be looked up for the moment",
  ECONNREFUSED: "nothing listens at its address and port",
  EHOSTUNREACH: NO_WAY,
  ENETUNREACH: NO_WAY,
  EHOSTDOWN: NO_WAY,
  ENETDOWN: NO_WAY,
  ETIMEDOUT: "no connection came about in time",
  ECONNRESET: BROKEN_OFF,
  EPIPE: BROKEN_OFF,
  UND_ERR_SOCKET: BROKEN_OFF,
};

/** Whose messages quote the other side, or a library that speaks of it. */
const WORDS_OF_LIBRARY: readonly (readonly [code: RegExp, words: string])[] = [
  [/^(?:EPROTO$|ERR_SSL_|ERR_TLS_)/, NO_TLS],
  [/^(?:HPE_|HTTPParserError$)/, NO_HTTP],
  [/^UND_ERR_HEADERS_OVERFLOW$/, "the head of its answer is too large"],
  [/^UND_ERR_BODY_TIMEOUT$/, "its answer stopped in the middle"],
  [/^UND_ERR_RES_CONTENT_LENGTH_MISMATCH$/, "its answer is not as long as it says"],
  [/^UND_ERR_INVALID_ARG$/, "the request holds characters that cannot be sent"],
];

/**
 * All words are this service's own: those of the other side, or of a library that quotes them, stay in the log.
 * @returns what an error of the network or of the HTTP client means; of several tried addresses the first one's fault.
 */
export function faultOf(error: unknown): Fault {
  if (error instanceof KnownFault) return error;
  if (error instanceof AggregateError && error.errors.length > 0) return faultOf(error.errors[0]);
  if (!(error instanceof Error)) return { words: NOTHING_CAME };
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  const words = WORDS_OF_CODE[code];
  if (words !== undefined) return { words, detail: error.message };
  if ("address" in error) return { words: "the connection failed", detail: error.message };
  const fault = WORDS_OF_LIBRARY.find(([pattern]) => pattern.test(code))?.[1] ?? NOTHING_CAME;
  return { words: fault, detail: code };
}
