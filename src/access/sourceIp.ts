// Determines the address that a request comes from: the socket's, or the one that trusted proxies report.
import type { IncomingMessage } from "node:http";
import { isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";
import { compileAllowedIps, isSourceAllowed, type AllowedSources } from "../core/access/allowedIps.js";

/** The proxies whose `X-Forwarded-For` is believed, ready for matching. */
export type TrustedProxies = NonNullable<AllowedSources>;

/** What a request says about where it comes from. */
interface RequestOrigin {
  /** Address of the socket's other end; undefined when it has gone. */
  readonly socketAddress: string | undefined;
  /** The `X-Forwarded-For` header; several of them joined by commas. */
  readonly forwardedFor: string | undefined;
}

const UNKNOWN_ADDRESS = "0.0.0.0";
const BRACKETED = /^\[([^\]]+)\](?::\d+)?$/;
const IPV4_WITH_PORT = /^([\d.]+):\d+$/;

/** Reads addresses and CIDRs of proxies (`TRUST_PROXY`). @throws Error when one is malformed */
export function trustedProxies(entries: readonly string[]): TrustedProxies {
  const compiled = compileAllowedIps(entries.join("\n"));
  if (!compiled.ok) throw new Error(compiled.problems.map(({ message }) => message).join("; "));
  return compiled.value ?? [];
}

/** What an HTTP request says about where it comes from. */
export function originOf({ socket, headers }: IncomingMessage): RequestOrigin {
  const forwardedFor = headers["x-forwarded-for"];
  return {
    socketAddress: socket.remoteAddress,
    forwardedFor: Array.isArray(forwardedFor) ? forwardedFor.join(",") : forwardedFor,
  };
}

/**
 * The caller's address without port and zone, IPv4-mapped IPv6 as IPv4: the right-most `X-Forwarded-For` entry that is no
 * trusted proxy, when the socket itself belongs to one. What stands left of an untrusted or malformed entry is not believed.
 */
export function sourceIp({ socketAddress, forwardedFor }: RequestOrigin, proxies: TrustedProxies): string {
  let source = plainAddress(socketAddress ?? "") ?? UNKNOWN_ADDRESS;
  if (forwardedFor === undefined) return source;
  for (const entry of forwardedFor.split(",").toReversed()) {
    if (!isSourceAllowed(proxies, source)) break;
    const address = plainAddress(withoutPort(entry.trim()));
    if (address === null) break;
    source = address;
  }
  return source;
}

const withoutPort = (entry: string): string => BRACKETED.exec(entry)?.[1] ?? IPV4_WITH_PORT.exec(entry)?.[1] ?? entry;

/** @returns the address in the one spelling that is kept, without zone, IPv4-mapped IPv6 as IPv4; null when the text is none */
export function plainAddress(text: string): string | null {
  if (isIPv4(text)) return text;
  const address = text.replace(/%.*$/, "");
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return address;
  return address.includes(":") && ipaddr.isValid(address) ? ipaddr.process(address).toString() : null;
}
