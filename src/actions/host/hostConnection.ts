// Reads how a host is connected; its secret is opened in memory only.
import type { Pool } from "pg";
import { DroverError } from "../../errors/errors.js";
import type { HostConnection } from "../../hypervisor/connection.js";
import { UnreadableSecret, type SecretBox } from "../../access/secretBox.js";
import { HOST_SECRET } from "../../access/secretPurpose.js";
import * as hosts from "../../store/host/known.js";
import type { HostRow } from "../../store/host/known.js";

/** What a host's secret is for. */
interface SecretUse {
  readonly hostname: string;
  readonly port: number;
  readonly user: string;
  readonly tokenId: string | null;
  readonly tlsFingerprint: string | null;
}

/**
 * The binding of a host's sealed secret: it is sent only to the machine and for the account that it was given for. A record that was
 * changed in the database, past the service, makes it unreadable.
 */
export const hostSecretBinding = ({ hostname, port, user, tokenId, tlsFingerprint }: SecretUse) =>
  [hostname, port, user, tokenId, tlsFingerprint] as const;

/** A host's record as far as its operator sets it. */
export interface HostRecord {
  readonly name: string;
  readonly active: boolean;
  /** Whether moves to the host may use a token with all rights of its user where it cannot be limited. */
  readonly allowUnrestrictedMoveToken: boolean;
  readonly connection: HostConnection;
}

/** A host's record as it is stored. */
export interface StoredHost extends Omit<HostRecord, "connection"> {
  readonly connection: Omit<HostConnection, "credential"> & {
    /** Null: its secret cannot be opened: another `DROVER_SECRET` sealed it, or the record was changed past the service. */
    readonly credential: HostConnection["credential"] | null;
  };
}

interface Reading {
  readonly pool: Pool;
  readonly secrets: SecretBox;
}

/** Loads a host's record; null when there is no such host. */
export async function readHostRecord(reading: Reading, hostId: number): Promise<StoredHost | null> {
  const row = await hosts.find(reading.pool, hostId);
  if (row === null) return null;
  const connection = { ...placeOf(hostId, row), credential: readableCredential(reading, row) };
  const { name, active, allowUnrestrictedMoveToken } = row;
  return { name, active, allowUnrestrictedMoveToken, connection };
}

/**
 * Loads a host's connection to use it; null when there is no such host.
 * @throws DroverError conflict: `HOST_INACTIVE` when it is switched off, `HOST_SECRET_UNREADABLE`
 */
export async function loadHostConnection(reading: Reading, hostId: number): Promise<HostConnection | null> {
  const row = await hosts.find(reading.pool, hostId);
  if (row?.active === false) throw hostInactive(row.name);
  if (row === null) return null;
  const credential = readableCredential(reading, row);
  if (credential === null) throw hostSecretUnreadable(row.name);
  return { ...placeOf(hostId, row), credential };
}

function placeOf(
  hostId: number,
  { name, hostname, port, user, tlsFingerprint }: HostRow,
): Omit<HostConnection, "credential"> {
  return { hostId, name, hostname, port, user, tlsFingerprint: tlsFingerprint ?? undefined };
}

function readableCredential(reading: Reading, row: HostRow): HostConnection["credential"] | null {
  try {
    return credentialOf(reading, row);
  } catch (error) {
    if (error instanceof UnreadableSecret) return null;
    throw error;
  }
}

/** A token id makes the secret a token's, else it is the user's password. @throws UnreadableSecret */
function credentialOf({ secrets }: Reading, row: HostRow): HostConnection["credential"] {
  const { tokenId } = row;
  const secret = secrets.open(row.secret, HOST_SECRET, hostSecretBinding(row));
  return tokenId === null ? { kind: "password", password: secret } : { kind: "token", tokenId, secret };
}

/** The refusal of whatever needs a host whose secret another key sealed, as after a restore without that key. */
export const hostSecretUnreadable = (name: string): DroverError =>
  new DroverError("conflict", `the stored secret of host ${name} cannot be opened: it has to be given again`, {
    reason: "HOST_SECRET_UNREADABLE",
  });

/** The refusal of whatever needs a host that is switched off. */
export const hostInactive = (name: string): DroverError =>
  new DroverError("conflict", `host ${name} is switched off`, { reason: "HOST_INACTIVE" });
