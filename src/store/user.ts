// Accounts of people.
import { sql } from "kysely";
import { UserRole } from "../core/enums.js";
import { exists, insertedId, rowOf, tables, written, type Connection } from "./tables.js";

interface NewUser {
  readonly email: string;
  readonly username: string;
  readonly externalId: string | null;
  readonly role: UserRole;
  readonly passwordHash: string;
  /** Null: no person made it. */
  readonly createdBy: number | null;
  readonly createdAt: Date;
}

/** @returns the id. @throws the driver's unique violation for an e-mail or a name that another account has, in any case */
export function insert(connection: Connection, user: NewUser): Promise<number> {
  const { email, username, externalId, role, passwordHash, createdBy, createdAt } = user;
  const row = {
    email,
    username,
    external_id: externalId,
    role,
    password_hash: passwordHash,
    created_by: createdBy,
    created_at: createdAt,
  };
  return insertedId(connection, tables.insertInto("user_account").values(row).returning("id"));
}

type FirstAdmin = Pick<NewUser, "email" | "username" | "passwordHash">;

/** Makes an admin unless there is an account of this name or e-mail. @returns whether it was made */
export async function insertAdmin(
  connection: Connection,
  { email, username, passwordHash }: FirstAdmin,
): Promise<boolean> {
  const insertion = tables
    .insertInto("user_account")
    .values({ email, username, role: "admin", password_hash: passwordHash })
    .onConflict((conflict) => conflict.doNothing());
  return (await written(connection, insertion)) === 1;
}

/** Who signs in. */
interface SigningIn {
  readonly id: number;
  readonly passwordHash: string;
}

/** The account of a name, in any case. @returns null when there is none */
export const ofName = (connection: Connection, username: string): Promise<SigningIn | null> =>
  rowOf(
    connection,
    tables
      .selectFrom("user_account")
      .select(["id", "password_hash as passwordHash"])
      .where(sql<boolean>`lower(username) = lower(${username})`),
  );

/** The admin that was made first. @returns null when there is none */
export const firstAdmin = (
  connection: Connection,
): Promise<{ readonly id: number; readonly username: string } | null> =>
  rowOf(
    connection,
    tables
      .selectFrom("user_account")
      .select(["id", "username"])
      .where("role", "=", sql.lit(UserRole.ADMIN))
      .orderBy("id")
      .limit(1),
  );

/** Which of these an account has already, in any case. */
export async function taken(
  connection: Connection,
  { email, username }: Pick<NewUser, "email" | "username">,
): Promise<("email" | "username")[]> {
  const accounts = tables.selectFrom("user_account").select("id");
  const found = await rowOf(
    connection,
    tables.selectNoFrom([
      exists(accounts.where(sql<boolean>`lower(email) = lower(${email})`)).as("email"),
      exists(accounts.where(sql<boolean>`lower(username) = lower(${username})`)).as("username"),
    ]),
  );
  return (["email", "username"] as const).filter((field) => found?.[field] === true);
}

/** Keeps an account from being deleted until the transaction ends. @returns false when there is none */
export async function hold(connection: Connection, id: number): Promise<boolean> {
  const account = tables.selectFrom("user_account").select("id").where("id", "=", id).forKeyShare();
  return (await rowOf(connection, account)) !== null;
}

/** Deletes an account; guests stay, without an owner. @returns false when it was deleted meanwhile */
export const remove = async (connection: Connection, id: number): Promise<boolean> =>
  (await written(connection, tables.deleteFrom("user_account").where("id", "=", id))) === 1;
