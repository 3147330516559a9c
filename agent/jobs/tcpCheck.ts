// Tries whether a TCP port can be reached from this node.
import { connect } from "node:net";
import { performance } from "node:perf_hooks";
import { isHost, isIntegerBetween, isObject } from "../check.js";

interface TcpCheckResult {
  readonly reachable: boolean;
  /** From the start, name look-up included, to the established connection; null when there is none. */
  readonly latency_ms: number | null;
  readonly error: string | null;
}

const DEFAULT_TIMEOUT_MS = 5_000;
const LONGEST_TIMEOUT_MS = 60_000;

/** Connects and closes again. That the port cannot be reached is a result; bad arguments are thrown. */
export async function tcpCheck(payload: unknown): Promise<TcpCheckResult> {
  if (!isObject(payload)) throw new Error("the payload must be an object");
  const { host, port, timeout_ms: timeoutMs = DEFAULT_TIMEOUT_MS } = payload;
  if (!isHost(host)) throw new Error("host must be an address or a DNS name");
  if (!isIntegerBetween(port, 1, 65_535)) throw new Error("port must be 1 to 65535");
  if (!isIntegerBetween(timeoutMs, 1, LONGEST_TIMEOUT_MS)) throw new Error("timeout_ms must be 1 to 60000");
  return await tryConnection({ host, port, timeoutMs });
}

interface Target {
  readonly host: string;
  readonly port: number;
  readonly timeoutMs: number;
}

function tryConnection({ host, port, timeoutMs }: Target): Promise<TcpCheckResult> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const socket = connect({ host, port });
    const end = (result: TcpCheckResult): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(result);
    };
    const fail = (error: string): void => end({ reachable: false, latency_ms: null, error });
    const timer = setTimeout(() => fail(`no connection within ${timeoutMs} ms`), timeoutMs);
    socket.once("error", (error) => fail(error.message));
    socket.once("connect", () => {
      end({ reachable: true, latency_ms: Math.round((performance.now() - startedAt) * 10) / 10, error: null });
    });
  });
}
