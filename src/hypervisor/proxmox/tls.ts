// Decides whether the address and the certificate of a host are right, before anything is sent to it.
import { lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { createSecureContext, TLSSocket, type SecureContext } from "node:tls";
import { buildConnector, errors } from "undici";
import { KnownFault } from "./fault.js";

/** Which certificate is right. */
interface Trust {
  /** SHA-256 of the leaf, `AA:BB:…`; undefined: a trusted authority must have signed it for the host's name. */
  readonly fingerprint: string | undefined;
  /** Authorities (PEM) to trust instead of the well-known ones. */
  readonly authorities?: readonly string[] | undefined;
}

/** The address or the certificate is not right: nothing was sent, and trying again does not help. */
export class PeerRefused extends KnownFault {}

/** No host may be connected at any address that the name has. */
class AddressRefused extends PeerRefused {
  override readonly name = "AddressRefused";

  constructor() {
    super(
      "no host may be connected at its address",
      "DROVER_PRIVATE_HOSTS opens addresses of this machine and its link",
    );
  }
}

/** A certificate that was refused. The detail names the fingerprint that was seen, so that an operator can compare. */
class CertificateRefused extends PeerRefused {
  override readonly name = "CertificateRefused";
}

/**
 * Makes undici's connector for one host. Verification by Node.js is replaced, not skipped: a connection is handed over
 * only after `refusal` found nothing. Sessions are not resumed, since a resumed one shows no certificate chain to check;
 * HTTP/2 is off, since it has no reason phrase, which is where older hosts put their error text.
 * @param isOpen whether a host may be connected at an address; asked of each address that its name has, at each connection
 * @param timeoutMs for TCP and TLS together.
 */
export function trustingConnector(
  trust: Trust,
  isOpen: (address: string) => boolean,
  timeoutMs: number,
): buildConnector.connector {
  const connect = buildConnector({
    lookup: lookupOf(isOpen),
    timeout: timeoutMs,
    allowH2: false,
    maxCachedSessions: 0,
    rejectUnauthorized: false,
    secureContext: contextFor(trust),
  });
  return (options, callback) => {
    const literal = options.hostname.replace(/^\[(.*)\]$/, "$1");
    // An address needs no look-up.
    if (isIP(literal) !== 0 && !isOpen(literal)) return callback(new AddressRefused(), null);
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(inSeconds(error, timeoutMs), null);
      const problem = socket instanceof TLSSocket ? refusal(socket, trust) : new CertificateRefused("it speaks no TLS");
      if (problem === null) return callback(null, socket);
      socket.destroy();
      return callback(problem, null);
    });
  };
}

/** Looks a name up, and leaves out the addresses that are closed. */
const lookupOf =
  (isOpen: (address: string) => boolean): LookupFunction =>
  (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, "");
      const [first, ...others] = found.filter(({ address }) => isOpen(address));
      if (first === undefined) return callback(new AddressRefused(), "");
      if (options.all === true) return callback(null, [first, ...others]);
      callback(null, first.address, first.family);
    });
  };

const inSeconds = (error: Error, timeoutMs: number): Error =>
  error instanceof errors.ConnectTimeoutError
    ? new KnownFault(`no connection within ${timeoutMs / 1000} s`, error.message)
    : error;

/** Shared by all hosts without authorities of their own: creating one takes a third of the time of a connection. */
let usualContext: SecureContext | undefined;

const contextFor = ({ authorities }: Trust): SecureContext =>
  authorities === undefined ? (usualContext ??= createSecureContext()) : createSecureContext({ ca: [...authorities] });

function refusal(socket: TLSSocket, { fingerprint }: Trust): CertificateRefused | null {
  const seen = socket.getPeerX509Certificate()?.fingerprint256 ?? "";
  if (fingerprint === undefined) {
    const why = String(socket.authorizationError);
    return socket.authorized
      ? null
      : new CertificateRefused("its certificate is not trusted", `${why}; it has the SHA-256 fingerprint ${seen}`);
  }
  return sameDigest(seen, fingerprint)
    ? null
    : new CertificateRefused(
        "its certificate is not the one that is expected",
        `it has the SHA-256 fingerprint ${seen}, expected was ${fingerprint}`,
      );
}

/** Fingerprints are written with and without colons, in either case. */
const sameDigest = (seen: string, expected: string): boolean =>
  seen.replaceAll(":", "") === expected.replaceAll(":", "").toUpperCase();
