// Sign-ins of people, and tries that failed.
import { sql } from "kysely";
import { SignInOutcome } from "../core/enums.js";
import { exists, rowsOf, tables, written, type Connection } from "./tables.js";

/** How long an address stays known to an account, days. */
const KNOWN_DAYS = 30;
/** More people do not sign in from one network in that time; those who signed in last count. */
const MOST_NAMES = 10_000;

const daysBefore = (now: Date, days: number): Date => new Date(now.getTime() - days * 86_400_000);

interface SignIn {
  readonly userId: number;
  readonly at: Date;
  readonly sourceIp: string;
  /** The address itself, of IPv6 its /64. */
  readonly network: string;
  readonly userAgent: string | null;
  readonly outcome: SignInOutcome;
}

/** Records a sign-in; one from a network that the account has not signed in from for a month is from a new address. */
export async function record(connection: Connection, signIn: SignIn): Promise<void> {
  const { userId, at, sourceIp, network, userAgent, outcome } = signIn;
  const earlier = tables
    .selectFrom("sign_in")
    .select("id")
    .where("user_id", "=", userId)
    .where("network", "=", network)
    .where("outcome", "=", sql.lit(SignInOutcome.SIGNED_IN))
    .where("at", ">", daysBefore(at, KNOWN_DAYS));
  await written(
    connection,
    tables.insertInto("sign_in").values({
      user_id: userId,
      at,
      source_ip: sourceIp,
      network,
      user_agent: userAgent,
      outcome,
      new_address: sql<boolean>`not ${exists(earlier)}`,
    }),
  );
}

/** Login names, in lower case, of those who signed in from a network in the last month. */
export async function namesKnownAt(
  connection: Connection,
  { network, now }: { readonly network: string; readonly now: Date },
): Promise<string[]> {
  const names = tables
    .selectFrom("sign_in as s")
    .innerJoin("user_account as u", "u.id", "s.user_id")
    .select(sql<string>`lower(u.username)`.as("name"))
    .where("s.network", "=", network)
    .where("s.outcome", "=", sql.lit(SignInOutcome.SIGNED_IN))
    .where("s.at", ">", daysBefore(now, KNOWN_DAYS))
    .groupBy("u.id")
    .orderBy((row) => row.fn.max("s.id"), "desc")
    .limit(MOST_NAMES);
  return (await rowsOf(connection, names)).map(({ name }) => name);
}

/** Deletes what is older than so many days. */
export async function deleteOld(connection: Connection, now: Date, days: number): Promise<void> {
  await written(connection, tables.deleteFrom("sign_in").where("at", "<", daysBefore(now, days)));
}
