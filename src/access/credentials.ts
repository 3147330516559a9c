// Finds whom a token belongs to, and remembers it for at most a second.
import { LRUCache } from "lru-cache";
import type { Pool } from "pg";
import { compileAllowedIps, type AllowedSources } from "../core/access/allowedIps.js";
import { Permission, permissionsOfRole, permissionsOfToken } from "../core/access/permissions.js";
import { scopeOf } from "../core/access/scope.js";
import type { Events } from "../events/events.js";
import type { PresentedToken } from "./accessToken.js";
import { MicroBatches } from "../concurrency/microBatches.js";
import * as agents from "../store/agent.js";
import * as apiTokens from "../store/apiToken.js";
import * as sessions from "../store/session.js";
import type { Viewer } from "./viewer.js";

/** What a program may do with its API token, and from where and how often. */
export interface TokenCredential {
  readonly kind: "apiToken";
  readonly viewer: Extract<Viewer, { kind: "token" }>;
  readonly allowedSources: AllowedSources;
  /** Requests a minute; null or 0: no limit. */
  readonly rateLimit: number | null;
  /** Null: never. */
  readonly expiresAt: Date | null;
}

/** A person who signed in. */
interface SessionCredential {
  readonly kind: "session";
  readonly viewer: Extract<Viewer, { kind: "user" }>;
  readonly expiresAt: Date;
}

/** The on-host agent of one node. */
interface AgentCredential {
  readonly kind: "agent";
  readonly nodeId: number;
  readonly expiresAt: null;
}

export type Credential = TokenCredential | SessionCredential | AgentCredential;

/** Older entries (milliseconds) are read again: a revocation takes effect within a second even if its announcement is lost. */
const MEMORY = { ttl: 900, ttlResolution: 50, max: 10_000 };
const AGENT_LOOK_UPS = { atOnce: 2, largest: 1_000, mostWaiting: 20_000 };

/** Credentials by the hash of their token. The announcement of a revocation empties the cache at once. */
export class Credentials {
  readonly #pool: Pool;
  readonly #remembered = new LRUCache<string, Promise<Credential | null>>(MEMORY);
  readonly #unsubscribe: readonly (() => void)[];
  readonly #agents: MicroBatches<string, AgentCredential | null>;

  constructor({ pool, events }: { pool: Pool; events: Events }) {
    this.#pool = pool;
    this.#agents = new MicroBatches((hashes) => lookUpAgents(pool, hashes), AGENT_LOOK_UPS);
    const forget = (): void => this.#remembered.clear();
    this.#unsubscribe = [events.on("access", forget), events.on("gap", forget)];
  }

  /** @returns null when the token is unknown or revoked. Expiry is for the caller to check. */
  find(token: PresentedToken): Promise<Credential | null> {
    return this.#remembered.get(token.hash) ?? this.#lookUp(token);
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  async #lookUp(token: PresentedToken): Promise<Credential | null> {
    const reading = this.#read(token);
    this.#remembered.set(token.hash, reading);
    const known = await reading.catch((error: unknown) => {
      this.#forget(token.hash, reading);
      throw error;
    });
    // Unknown tokens are not cached: anybody could fill the memory with them.
    if (known === null) this.#forget(token.hash, reading);
    return known;
  }

  #read({ kind, hash }: PresentedToken): Promise<Credential | null> {
    if (kind === "agent") return this.#agents.add(hash);
    return kind === "apiToken" ? lookUpApiToken(this.#pool, hash) : lookUpSession(this.#pool, hash);
  }

  #forget(hash: string, reading: Promise<Credential | null>): void {
    if (this.#remembered.peek(hash) === reading) this.#remembered.delete(hash);
  }
}

async function lookUpApiToken(pool: Pool, hash: string): Promise<TokenCredential | null> {
  const token = await apiTokens.ofHash(pool, hash);
  return token && tokenCredential(token);
}

async function lookUpSession(pool: Pool, hash: string): Promise<SessionCredential | null> {
  const session = await sessions.ofHash(pool, hash);
  return session && sessionCredential(session);
}

/** Thousands of agents use their tokens every few seconds, too rarely for the cache: those that come together are looked up together. */
async function lookUpAgents(pool: Pool, hashes: readonly string[]): Promise<(hash: string) => AgentCredential | null> {
  const found = await agents.ofTokens(pool, hashes);
  const nodes = new Map(found.map(({ tokenHash, nodeId }) => [tokenHash, nodeId]));
  return (hash) => {
    const nodeId = nodes.get(hash);
    return nodeId === undefined ? null : { kind: "agent", nodeId, expiresAt: null };
  };
}

function tokenCredential(token: apiTokens.TokenOfHash): TokenCredential {
  const allowed = compileAllowedIps(token.allowedIps);
  const granted = Object.values(Permission).filter((permission) => token.permissions.includes(permission));
  return {
    kind: "apiToken",
    viewer: {
      kind: "token",
      tokenId: token.id,
      name: token.name,
      permissions: new Set(permissionsOfToken(granted)),
      hostIds: scopeOf(token.connectionScope),
    },
    // Checked when the token was made; should it be malformed all the same, it allows no source instead of any.
    allowedSources: allowed.ok ? allowed.value : [],
    rateLimit: token.rateLimit,
    expiresAt: token.expiresAt,
  };
}

function sessionCredential(session: sessions.OpenSession): SessionCredential {
  const { id: sessionId, userId, username, role, mustSetUp, expiresAt } = session;
  const permissions = new Set(mustSetUp ? [] : permissionsOfRole(role));
  const viewer = { kind: "user", userId, username, role, permissions, hostIds: null, sessionId, mustSetUp } as const;
  return { kind: "session", viewer, expiresAt };
}
