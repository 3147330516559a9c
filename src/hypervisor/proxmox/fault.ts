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
  EPROTO: "it does not speak TLS as this service does",
};

/** @returns what an error of the network or of the HTTP client means; of several tried addresses the first one's fault. */
export function faultOf(error: unknown): Fault {
  if (error instanceof KnownFault) return error;
  if (error instanceof AggregateError && error.errors.length > 0) return faultOf(error.errors[0]);
  if (!(error instanceof Error)) return { words: String(error) };
  const code = "code" in error ? String(error.code) : "";
  const words = WORDS_OF_CODE[code.startsWith("ERR_SSL_") ? "EPROTO" : code];
  if (words !== undefined) return { words, detail: error.message };
  return "address" in error ? { words: "the connection failed", detail: error.message } : { words: error.message };
}
