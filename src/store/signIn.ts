// Sign-ins of people, tries that failed, and from where each account has signed in.
import { sql } from "kysely";
import type { SignInOutcome } from "../core/enums.js";
import { exists, rowOf, tables, written, type Connection } from "./tables.js";

/** How long an address stays known to an account, days. */
const KNOWN_DAYS = 30;
/** Of an account: a program that signs in every minute fills no disk. */
const MOST_KEPT = 1_000;

const daysBefore = (now: Date, days: number): Date => new Date(now.getTime() - days * 86_400_000);

/** An account, and the network of an address: the address itself, of IPv6 its /64. */
interface Place {
  readonly userId: number;
  readonly network: string;
}

interface SignIn extends Place {
  readonly at: Date;
  readonly sourceIp: string;
  readonly userAgent: string | null;
  readonly outcome: SignInOutcome;
}

const knownAt = (since: Date) =>
  tables.selectFrom("known_address as k").select("k.network").where("k.last_at", ">", since);

/** Records a sign-in; one from a network that is not known to the account is from a new address. The oldest of too many go. */
export async function record(connection: Connection, signIn: SignIn): Promise<void> {
  const { userId, network, at, sourceIp, userAgent, outcome } = signIn;
  const known = knownAt(daysBefore(at, KNOWN_DAYS)).where("k.user_id", "=", userId).where("k.network", "=", network);
  const lastOfTooMany = tables
    .selectFrom("sign_in")
    .select("id")
    .where("user_id", "=", userId)
    .orderBy("id", "desc")
    .offset(MOST_KEPT - 1)
    .limit(1);
  await written(
    connection,
    tables
      .with("old", (db) => db.deleteFrom("sign_in").where("user_id", "=", userId).where("id", "<=", lastOfTooMany))
      .insertInto("sign_in")
      .values({
        user_id: userId,
        at,
        source_ip: sourceIp,
        user_agent: userAgent,
        outcome,
        new_address: sql<boolean>`not ${exists(known)}`,
      }),
  );
}

/** Notes that the account has signed in from there. */
export async function know(
  connection: Connection,
  { userId, network, at }: Place & { readonly at: Date },
): Promise<void> {
  const insertion = tables
    .insertInto("known_address")
    .values({ user_id: userId, network, last_at: at })
    .onConflict((conflict) =>
      conflict
        .columns(["user_id", "network"])
        .doUpdateSet({ last_at: sql<Date>`greatest(known_address.last_at, excluded.last_at)` }),
    );
  await written(connection, insertion);
}

interface NamedPlace {
  readonly username: string;
  readonly network: string;
  readonly now: Date;
}

/** Whether the account of a login name, in any case, has signed in from a network in the last 30 days. */
export async function isKnown(connection: Connection, { username, network, now }: NamedPlace): Promise<boolean> {
  const known = knownAt(daysBefore(now, KNOWN_DAYS))
    .innerJoin("user_account as u", "u.id", "k.user_id")
    .where("k.network", "=", network)
    .where(sql<boolean>`lower(u.username) = lower(${username})`);
  return (await rowOf(connection, known)) !== null;
}

interface WrongCodes {
  readonly userId: number;
  readonly since: Date;
  readonly most: number;
}

/** Looks for as many wrong codes of an account. @returns when the first of the last `most` was; null: there were fewer */
export async function lastOfWrongCodes(
  connection: Connection,
  { userId, since, most }: WrongCodes,
): Promise<Date | null> {
  const nth = tables
    .selectFrom("sign_in")
    .select("at")
    .where("user_id", "=", userId)
    .where("outcome", "=", "wrong_code")
    .where("at", ">", since)
    .orderBy("id", "desc")
    .offset(most - 1)
    .limit(1);
  return (await rowOf(connection, nth))?.at ?? null;
}

/** Deletes the history of more than so many days ago, and what is known no more. */
export async function deleteOld(connection: Connection, now: Date, days: number): Promise<void> {
  await written(connection, tables.deleteFrom("sign_in").where("at", "<", daysBefore(now, days)));
  await written(connection, tables.deleteFrom("known_address").where("last_at", "<", daysBefore(now, KNOWN_DAYS)));
}
