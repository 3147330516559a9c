// Describes the fault of bytes that the HTTP parser refused, and reads the remains of the request.

/** A refusal of the parser. */
export interface ParserFault {
  readonly status: number;
  /** The message for callers. */
  readonly message: string;
}

export const BAD_REQUEST: ParserFault = { status: 400, message: "The request is no HTTP that can be understood" };
export const EXPECTATION_FAILED: ParserFault = {
  status: 417,
  message: "The service meets no expectation but 100-continue",
};

const FAULTS: Readonly<Record<string, ParserFault>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: "The request took too long to arrive" },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, message: "The chunk extensions are too large" },
  HPE_HEADER_OVERFLOW: { status: 431, message: "The headers are too large" },
};

/** @param code of the error that Node.js gives to `clientError` */
export const faultOf = (code: string | undefined): ParserFault => FAULTS[code ?? ""] ?? BAD_REQUEST;

/** Of a request that was not understood as a whole. */
export interface RequestLine {
  readonly method: string;
  /** Without the query string. */
  readonly path: string;
}

const LONGEST_LINE = 4_096;
const LINE = /^([A-Z]{1,20}) (\/[^\s?]*)\S* HTTP\/1\.[01]\r?\n/;

/** @param packet what was being parsed: it begins with the request only if that came in one piece. @returns null: not known */
export function requestLine(packet: Buffer | undefined): RequestLine | null {
  const found = LINE.exec(packet?.toString("latin1", 0, LONGEST_LINE) ?? "");
  return found === null ? null : { method: found[1] ?? "", path: found[2] ?? "" };
}
