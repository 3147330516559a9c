// Keeps the console proxies that wait on the ports of a node: whose they are, and who has come.
import { createHmac, randomBytes } from "node:crypto";
import type { WebSocket } from "ws";
import type { Platform } from "../platform.js";
import type { PlatformState } from "../state/platform.js";

const firstPort = 5900;
const lastPort = 5999;

/** One proxy: it serves one connection of whoever asked for it. */
export interface Proxy {
  kind: "vnc" | "term";
  node: string;
  vmid: number;
  port: number;
  /** Whom the ticket belongs to. */
  label: string;
  /** What the ticket is signed with beside identity and port. */
  path: string;
  ticket: string;
  connected: PromiseWithResolvers<WebSocket>;
  /** True once somebody has come. */
  taken: boolean;
}

const known = new WeakMap<PlatformState, Set<Proxy>>();
const key = randomBytes(32);

function proxiesOf(state: PlatformState): Set<Proxy> {
  const proxies = known.get(state) ?? new Set<Proxy>();
  known.set(state, proxies);
  return proxies;
}

/** Simulated milliseconds for which a port stays reserved, although its proxy may have ended before. */
const reservedMs = 5000;
const reservations = new WeakMap<PlatformState, Map<string, number>>();

function freePort({ state, clock }: Platform, node: string): number {
  const reserved = reservations.get(state) ?? new Map<string, number>();
  reservations.set(state, reserved);
  const used = new Set([...proxiesOf(state)].filter((proxy) => proxy.node === node).map(({ port }) => port));
  const isFree = (port: number): boolean => {
    const since = reserved.get(`${node} ${port}`);
    return !used.has(port) && (since === undefined || clock.passedSince(since) >= reservedMs);
  };
  let port = firstPort;
  while (!isFree(port) && port < lastPort) port += 1;
  reserved.set(`${node} ${port}`, clock.now());
  return port;
}

/** Opens a proxy on the first free port of the node. */
export function openProxy(platform: Platform, wanted: Pick<Proxy, "kind" | "node" | "vmid" | "label">): Proxy {
  const { state, clock } = platform;
  const seconds = clock.seconds();
  const port = freePort(platform, wanted.node);
  const path = `/vms/${wanted.vmid}`;
  const time = seconds.toString(16).toUpperCase().padStart(8, "0");
  const ticket = `PVEVNC:${time}::${signature({ label: wanted.label, path, port, time })}`;
  const proxy = { ...wanted, port, path, ticket, connected: Promise.withResolvers<WebSocket>(), taken: false };
  proxiesOf(state).add(proxy);
  return proxy;
}

export function closeProxy(state: PlatformState, proxy: Proxy): void {
  proxiesOf(state).delete(proxy);
}

/** The proxy that still waits on a port, or null. */
export function waitingProxy(state: PlatformState, node: string, port: number): Proxy | null {
  return [...proxiesOf(state)].find((proxy) => proxy.node === node && proxy.port === port && !proxy.taken) ?? null;
}

/** True when this identity was given this ticket for this path and port. */
export function isTicketOf(ticket: string, holder: { label: string; path: string; port: number }): boolean {
  const [, time, given] = /(?:^|:)PVEVNC:([0-9A-F]{8})::(.+)$/.exec(ticket) ?? [];
  return time !== undefined && given === signature({ ...holder, time });
}

function signature({ label, path, port, time }: { label: string; path: string; port: number; time: string }): string {
  return createHmac("sha256", key).update(`${label} ${path} ${port} ${time}`).digest("base64");
}
