// Connects over TLS to the one certificate whose SHA-256 fingerprint is known, and to no other.
import type { AgentOptions, RequestOptions } from "node:https";
import { Agent } from "node:https";
import type { Duplex } from "node:stream";
import { connect } from "node:tls";
import type { TLSSocket } from "node:tls";

const HANDSHAKE_MS = 20_000;

type Connected = (error: Error | null, socket: Duplex) => void;

/** Hands a connection out only after its certificate was compared, so that no request byte reaches a stranger. */
export class PinnedAgent extends Agent {
  /** `fingerprint`: 64 hexadecimal digits, lower case, without colons. */
  constructor(
    options: AgentOptions,
    private readonly fingerprint: string,
  ) {
    super(options);
  }

  override createConnection(options: RequestOptions, connected: Connected): undefined {
    const { host, port, servername } = options;
    const socket = connect({
      host: host ?? "localhost",
      port: Number(port ?? 443),
      ...(servername === undefined || servername === "" ? {} : { servername }),
      rejectUnauthorized: false,
    });
    const failed = (error: Error): void => connected(error, socket);
    socket.once("error", failed);
    socket.setTimeout(HANDSHAKE_MS, () => socket.destroy(new Error("no TLS connection was made in time")));
    socket.once("secureConnect", () => {
      socket.setTimeout(0);
      const found = fingerprintOf(socket);
      if (found === this.fingerprint) {
        socket.removeListener("error", failed);
        connected(null, socket);
      } else socket.destroy(new Error(mismatch(found)));
    });
  }
}

function fingerprintOf(socket: TLSSocket): string {
  const { fingerprint256 } = socket.getPeerCertificate();
  return (fingerprint256 ?? "").replace(/:/g, "").toLowerCase();
}

function mismatch(found: string): string {
  return `the service shows another certificate than the configured fingerprint (SHA-256 ${found})`;
}
