// Finds whom a bearer token belongs to, and remembers it for at most a second.
import { LRUCache } from "lru-cache";
import type { Pool } from "pg";
import { compileAllowedIps, type AllowedSources } from "../core/access/allowedIps.js";
import { Permission, permissionsOfRole, permissionsOfToken } from "../core/access/permissions.js";
import { scopeOf } from "../core/access/scope.js";
import type { UserRole } from "../core/enums.js";
import type { Events } from "../events/events.js";
import type { PresentedToken } from "./bearerToken.js";
import { MicroBatches } from "../concurrency/microBatches.js";
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
    return kind === "session" ? lookUpSession(this.#pool, hash) : lookUpApiToken(this.#pool, hash);
  }

  #forget(hash: string, reading: Promise<Credential | null>): void {
    if (this.#remembered.peek(hash) === reading) this.#remembered.delete(hash);
  }
}

async function lookUpApiToken(pool: Pool, hash: string): Promise<TokenCredential | null> {
  const { rows } = await pool.query<TokenRow>({
    name: "access api token",
    text: `select id, name, allowed_ips, rate_limit, connection_scope, permissions, expires_at
      from api_token where token_hash = $1 and revoked_at is null`,
    values: [hash],
  });
  return rows[0] === undefined ? null : tokenCredential(rows[0]);
}

async function lookUpSession(pool: Pool, hash: string): Promise<SessionCredential | null> {
  const { rows } = await pool.query<SessionRow>({
    name: "access session",
    text: `select u.id, u.username, u.role, s.expires_at
      from session s join user_account u on u.id = s.user_id where s.token_hash = $1`,
    values: [hash],
  });
  return rows[0] === undefined ? null : sessionCredential(rows[0], hash);
}

/** Thousands of agents use their tokens every few seconds, too rarely for the cache: those that come together are looked up together. */
async function lookUpAgents(pool: Pool, hashes: readonly string[]): Promise<(hash: string) => AgentCredential | null> {
  const { rows } = await pool.query<{ hash: string; nodeId: number }>({
    name: "access agents",
    text: `select token_hash as hash, node_id as "nodeId" from agent where token_hash = any($1)`,
    values: [hashes],
  });
  const nodes = new Map(rows.map(({ hash, nodeId }) => [hash, nodeId]));
  return (hash) => {
    const nodeId = nodes.get(hash);
    return nodeId === undefined ? null : { kind: "agent", nodeId, expiresAt: null };
  };
}

interface TokenRow {
  readonly id: number;
  readonly name: string;
  readonly allowed_ips: string | null;
  readonly rate_limit: number | null;
  readonly connection_scope: number[];
  readonly permissions: string[];
  readonly expires_at: Date | null;
}

function tokenCredential(row: TokenRow): TokenCredential {
  const allowed = compileAllowedIps(row.allowed_ips);
  const granted = Object.values(Permission).filter((permission) => row.permissions.includes(permission));
  return {
    kind: "apiToken",
    viewer: {
      kind: "token",
      tokenId: row.id,
      name: row.name,
      permissions: new Set(permissionsOfToken(granted)),
      hostIds: scopeOf(row.connection_scope),
    },
    // Checked when the token was made; should it be malformed all the same, it allows no source instead of any.
    allowedSources: allowed.ok ? allowed.value : [],
    rateLimit: row.rate_limit,
    expiresAt: row.expires_at,
  };
}

interface SessionRow {
  readonly id: number;
  readonly username: string;
  readonly role: UserRole;
  readonly expires_at: Date;
}

function sessionCredential(row: SessionRow, sessionHash: string): SessionCredential {
  const permissions = new Set(permissionsOfRole(row.role));
  const viewer = { kind: "user", userId: row.id, username: row.username, role: row.role } as const;
  return { kind: "session", viewer: { ...viewer, permissions, hostIds: null, sessionHash }, expiresAt: row.expires_at };
}
