// Reads how a host is connected; its secret is opened in memory only.
import type { Pool } from "pg";
import { DroverError } from "../../errors.js";
import type { HostConnection } from "../../hypervisor/connection.js";
import type { SecretBox } from "../../secretBox.js";

/** What the secret box seals a host's secret for. */
export const HOST_SECRET = "host.secret";

/** A host's record as far as its operator sets it. */
export interface HostRecord {
  readonly name: string;
  readonly active: boolean;
  readonly connection: HostConnection;
}

interface HostRow {
  readonly name: string;
  readonly hostname: string;
  readonly port: number;
  readonly user: string;
  readonly tokenId: string | null;
  readonly secret: string;
  readonly fingerprint: string | null;
  readonly active: boolean;
}

interface Reading {
  readonly pool: Pool;
  readonly secrets: SecretBox;
}

/** Loads a host's record; null when there is no such host. */
export async function readHostRecord(reading: Reading, hostId: number): Promise<HostRecord | null> {
  const row = await readRow(reading, hostId);
  return row && { name: row.name, active: row.active, connection: connectionOf(reading, hostId, row) };
}

/**
 * Loads a host's connection to use it; null when there is no such host.
 * @throws DroverError conflict `HOST_INACTIVE` when it is switched off
 */
export async function loadHostConnection(reading: Reading, hostId: number): Promise<HostConnection | null> {
  const row = await readRow(reading, hostId);
  if (row?.active === false) throw hostInactive(row.name);
  return row && connectionOf(reading, hostId, row);
}

async function readRow({ pool }: Reading, hostId: number): Promise<HostRow | null> {
  const { rows } = await pool.query<HostRow>(
    `select name, hostname, port, user_name as "user", token_id as "tokenId", secret_encrypted as secret,
       tls_fingerprint as fingerprint, active from host where id = $1`,
    [hostId],
  );
  return rows[0] ?? null;
}

function connectionOf({ secrets }: Reading, hostId: number, row: HostRow): HostConnection {
  const { hostname, port, user, tokenId, secret, fingerprint } = row;
  const credential = credentialOf(tokenId, secrets.open(secret, HOST_SECRET));
  return { hostId, hostname, port, user, credential, tlsFingerprint: fingerprint ?? undefined };
}

/** The refusal of whatever needs a host that is switched off. */
export const hostInactive = (name: string): DroverError =>
  new DroverError("conflict", `host ${name} is switched off`, { reason: "HOST_INACTIVE" });

/** A token id makes the secret a token's, else it is the user's password. */
const credentialOf = (tokenId: string | null, secret: string): HostConnection["credential"] =>
  tokenId === null ? { kind: "password", password: secret } : { kind: "token", tokenId, secret };
