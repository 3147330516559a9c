// What is said of a host that gives no answer, to everybody and to operators.
import assert from "node:assert/strict";
import { errors } from "undici";
import { faultOf, KnownFault } from "../../../src/hypervisor/proxmox/fault.js";

const coded = (code: string, message: string, more: object = {}): Error =>
  Object.assign(new Error(message), { code, ...more });

const REFUSED = coded("ECONNREFUSED", "connect ECONNREFUSED 192.0.2.10:8006");

const CASES: readonly (readonly [unknown, words: RegExp, detail: string | undefined])[] = [
  [
    coded("ENOTFOUND", "getaddrinfo ENOTFOUND pve.example"),
    /^the name .* is not found$/,
    "getaddrinfo ENOTFOUND pve.example",
  ],
  [REFUSED, /^nothing listens/, REFUSED.message],
  [new AggregateError([REFUSED, new Error("second")], "all"), /^nothing listens/, REFUSED.message],
  [coded("EHOSTUNREACH", "connect EHOSTUNREACH 192.0.2.10:8006"), /^no way/, "connect EHOSTUNREACH 192.0.2.10:8006"],
  [coded("ECONNRESET", "read ECONNRESET"), /^it broke the connection off$/, "read ECONNRESET"],
  [new errors.SocketError("other side closed"), /^it broke the connection off$/, "other side closed"],
  [coded("ERR_SSL_WRONG_VERSION_NUMBER", "wrong version number"), /TLS/, "ERR_SSL_WRONG_VERSION_NUMBER"],
  [coded("EPROTO", "C0B7:error:0A00010B:SSL routines:ssl3_get_record"), /TLS/, "EPROTO"],
  [coded("HPE_INVALID_CONSTANT", "Expected HTTP/: key=abc"), /^its .* no HTTP$/, "HPE_INVALID_CONSTANT"],
  [new errors.HTTPParserError("Expected HTTP/: key=abc"), /^its .* no HTTP$/, "HTTPParserError"],
  [new errors.HeadersOverflowError("x-key: abc"), /^the head of its answer/, "UND_ERR_HEADERS_OVERFLOW"],
  [new errors.BodyTimeoutError(), /^its answer stopped/, "UND_ERR_BODY_TIMEOUT"],
  [
    new errors.ResponseContentLengthMismatchError(),
    /^its answer is not as long/,
    "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
  ],
  [new errors.InvalidArgumentError("invalid x header"), /^the request holds characters/, "UND_ERR_INVALID_ARG"],
  [new KnownFault("no answer within 5.0 s"), /^no answer within 5\.0 s$/, undefined],
  [
    coded("EMFILE", "connect EMFILE 192.0.2.10:8006", { address: "192.0.2.10" }),
    /^the connection failed$/,
    "connect EMFILE 192.0.2.10:8006",
  ],
  [new Error("what the other side says: key=abc"), /^no answer came$/, "Error"],
  ["a text", /^no answer came$/, undefined],
];

describe("hypervisor/proxmox/fault", () => {
  for (const [error, words, detail] of CASES) {
    it(`reports ${words.source} for ${String(error)}`, () => {
      const fault = faultOf(error);
      assert.match(fault.words, words);
      assert.equal(fault.detail, detail);
    });
  }
});
