// Checks an operator's input about a host, and makes the host's record from it.
import { isIP } from "node:net";
import { isTokenName, isUserName } from "../../core/names.js";
import { accepted, refused, type Checked, type Problem } from "../../core/problem.js";
import type { HostConnection } from "../../hypervisor/connection.js";
import { nameProblems } from "../inputProblems.js";
import type { HostRecord, StoredHost } from "./hostConnection.js";

/** How a new host is reached: by API token (`tokenId`, `tokenSecret`) or by the user's password. */
export interface HostInput {
  readonly name: string;
  readonly hostname: string;
  readonly port: number;
  readonly user: string;
  readonly tokenId?: string | null;
  readonly tokenSecret?: string | null;
  readonly password?: string | null;
  /** SHA-256 of the certificate, hexadecimal, with or without colons. */
  readonly tlsFingerprint?: string | null;
  /** Whether moves to the host may use a token with all rights of its user where it cannot be limited; left out: no. */
  readonly allowUnrestrictedMoveToken?: boolean | null;
}

/** What may be changed; what is null or left out stays. */
export type HostChange = { readonly [Field in keyof HostInput]?: HostInput[Field] | null } & {
  readonly active?: boolean | null;
};

type Credential = HostConnection["credential"];

const HOST_NAME = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i;
const LONGEST_HOST_NAME = 253;
/** It goes into a header; the platform's own are UUIDs. */
const TOKEN_SECRET = /^[\x21-\x7e]{1,500}$/;
const FINGERPRINT = /^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/;

/** @returns the record of a new host, or every offending field */
export function newHostRecord(input: HostInput): Checked<HostRecord> {
  const { name, hostname, port, user } = input;
  const connection = { hostId: 0, name, hostname, port, user, tlsFingerprint: undefined };
  const unrestricted = { allowUnrestrictedMoveToken: false };
  return changed({ name, active: true, ...unrestricted, connection, credential: null }, input);
}

/** @returns the record with the change applied, or every offending field */
export const changedHostRecord = (stored: StoredHost, change: HostChange): Checked<HostRecord> =>
  changed({ ...stored, credential: stored.connection.credential }, change);

interface Basis extends Pick<HostRecord, "name" | "active" | "allowUnrestrictedMoveToken"> {
  readonly connection: Omit<HostConnection, "credential">;
  /** Null: none is known yet. */
  readonly credential: Credential | null;
}

function changed({ connection, credential: known, ...before }: Basis, change: HostChange): Checked<HostRecord> {
  const place = changedPlace(connection, change);
  const credential = changedCredential(known, change);
  const isTried = change.active ?? before.active;
  const unproven = credential.ok
    ? secretProblems(known, change, unprovenFields({ before: connection, after: place, isTried }))
    : credential.problems;
  const problems = [...fieldProblems(change), ...unproven];
  if (!credential.ok || problems.length > 0) return refused(...problems);
  return accepted({
    name: change.name?.trim() ?? before.name,
    active: isTried,
    allowUnrestrictedMoveToken: change.allowUnrestrictedMoveToken ?? before.allowUnrestrictedMoveToken,
    connection: { ...connection, ...place, user: change.user ?? connection.user, credential: credential.value },
  });
}

/** Which machine is asked: what a secret is sent to. */
type Place = Pick<HostConnection, "hostname" | "port" | "tlsFingerprint">;

const changedPlace = (known: Place, change: HostChange): Place => ({
  hostname: change.hostname ?? known.hostname,
  port: change.port ?? known.port,
  tlsFingerprint: normalFingerprint(change.tlsFingerprint) ?? known.tlsFingerprint,
});

interface Moving {
  readonly before: Place;
  readonly after: Place;
  /** Whether the new connection is tried before it is kept. */
  readonly isTried: boolean;
}

/**
 * A machine at another address is the known one when it has the known pinned certificate. At the known address another
 * certificate may be pinned, as after a renewal, once it is seen to be that machine's.
 * @returns what changes in a way that leaves open which machine is meant
 */
function unprovenFields({ before, after, isTried }: Moving): string[] {
  const hasMoved = before.hostname !== after.hostname || before.port !== after.port;
  const isPinned = before.tlsFingerprint !== undefined && before.tlsFingerprint === after.tlsFingerprint;
  const isProven = hasMoved ? isPinned : isTried;
  if (isProven) return [];
  return (["hostname", "port", "tlsFingerprint"] as const)
    .filter((field) => before[field] !== after[field])
    .map((field) => (field === "tlsFingerprint" ? "tls_fingerprint" : field));
}

/** A stored secret is sent only to the machine that it was given for: a change to another machine must include the secret. */
function secretProblems(
  known: Credential | null,
  { tokenSecret, password }: HostChange,
  unproven: readonly string[],
): Problem[] {
  if (known === null || unproven.length === 0 || tokenSecret || password) return [];
  const field = known.kind === "token" ? "token_secret" : "password";
  return [{ field, message: `must be given again with another ${unproven.join(", ")}` }];
}

/** A secret belongs to one token: another token needs another secret. */
function changedCredential(
  known: Credential | null,
  { tokenId, tokenSecret, password }: HostChange,
): Checked<Credential> {
  if (password && (tokenId || tokenSecret)) {
    return refused({ field: "password", message: "must not be given beside an API token" });
  }
  if (password) return accepted({ kind: "password", password });
  if (!tokenId && !tokenSecret) {
    const message = "token_id and token_secret, or a password, must be given";
    return known === null ? refused({ field: "token_secret", message }) : accepted(known);
  }
  const token = known?.kind === "token" ? known : null;
  const id = tokenId || token?.tokenId;
  const secret = tokenSecret || (token?.tokenId === id ? token?.secret : undefined);
  if (!id) return refused({ field: "token_id", message: "must be given with token_secret" });
  if (!secret) return refused({ field: "token_secret", message: "must be given with token_id" });
  return accepted({ kind: "token", tokenId: id, secret });
}

function fieldProblems({ name, hostname, port, user, tokenId, tokenSecret, tlsFingerprint }: HostChange): Problem[] {
  const problems: Problem[] = isMissing(name) ? [] : nameProblems(name);
  const check = (field: string, right: boolean, message: string): void => {
    if (!right) problems.push({ field, message });
  };
  check("hostname", isMissing(hostname) || isHostname(hostname), "must be a host name or an IP address");
  check("port", isMissing(port) || isPort(port), "must be from 1 to 65535");
  check("user", isMissing(user) || isUserName(user), "must be a user with its realm, such as root@pam");
  check(
    "token_secret",
    !tokenSecret || TOKEN_SECRET.test(tokenSecret),
    "must be as the platform showed it, without blanks",
  );
  check("token_id", !tokenId || isTokenName(tokenId), "must be a token's name, such as panel");
  const fingerprint = normalFingerprint(tlsFingerprint);
  const expected = "must be a SHA-256 fingerprint, AA:BB:… (32 pairs)";
  check("tls_fingerprint", fingerprint === null || FINGERPRINT.test(fingerprint), expected);
  return problems;
}

const isMissing = (value: unknown): value is null | undefined => value === null || value === undefined;

const isHostname = (text: string): boolean =>
  isIP(text) !== 0 || (text.length <= LONGEST_HOST_NAME && HOST_NAME.test(text));

const isPort = (port: number): boolean => Number.isInteger(port) && port >= 1 && port <= 65_535;

/** Upper case; bare hexadecimal digits get their colons. */
function normalFingerprint(text: string | null | undefined): string | null {
  if (!text) return null;
  const digits = text.trim().toUpperCase();
  return /^[0-9A-F]{64}$/.test(digits) ? (digits.match(/../g) ?? []).join(":") : digits;
}
