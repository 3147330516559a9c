// Accounts of people.
import { sql } from "kysely";
import { UserRole } from "../core/enums.js";
import { exists, insertedId, rowOf, rowsOf, tables, written, type Connection } from "./tables.js";

const ADMIN = sql.lit(UserRole.ADMIN);

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

/** What an account is entered with. */
export interface UserAccount {
  readonly id: number;
  readonly username: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly enabled: boolean;
}

const ACCOUNT = ["id", "username", "email", "password_hash as passwordHash", "enabled"] as const;

/** The account of a name, in any case. @returns null when there is none */
export const ofName = (connection: Connection, username: string): Promise<UserAccount | null> =>
  rowOf(
    connection,
    tables
      .selectFrom("user_account")
      .select(ACCOUNT)
      .where(sql<boolean>`lower(username) = lower(${username})`),
  );

/** @returns null when there is none of this id */
export const ofId = (connection: Connection, id: number): Promise<UserAccount | null> =>
  rowOf(connection, tables.selectFrom("user_account").select(ACCOUNT).where("id", "=", id));

/** A new password, and the hash of the one that it replaces; null: of whatever it is. */
interface PasswordChange {
  readonly id: number;
  readonly was: string | null;
  readonly passwordHash: string;
}

/** @returns false when the account is gone, or has another password than `was` */
export async function setPassword(connection: Connection, { id, was, passwordHash }: PasswordChange): Promise<boolean> {
  const update = tables.updateTable("user_account").set({ password_hash: passwordHash }).where("id", "=", id);
  return (await written(connection, was === null ? update : update.where("password_hash", "=", was))) === 1;
}

/** What an operator may change of an account; what is left out stays. */
export interface AccountChange {
  readonly email?: string;
  readonly username?: string;
  /** Null: none. */
  readonly externalId?: string | null;
  readonly role?: UserRole;
  readonly enabled?: boolean;
}

/** @returns false when the account is gone. @throws the driver's unique violation as {@link insert} */
export async function change(
  connection: Connection,
  id: number,
  { externalId, ...columns }: AccountChange,
): Promise<boolean> {
  const row = { ...columns, ...(externalId === undefined ? {} : { external_id: externalId }) };
  return (await written(connection, tables.updateTable("user_account").set(row).where("id", "=", id))) === 1;
}

/** An account that is held, as it is at that moment. */
export interface HeldAccount {
  readonly role: UserRole;
  /** Whether it is an admin's, and no other admin can sign in. */
  readonly isLastAdmin: boolean;
}

/**
 * Keeps an account as it is until the transaction ends; that of an admin with all other admins, in the order of their ids, so that of
 * two who remove each other one stays.
 * @returns null when it is gone
 */
export async function holdForChange(connection: Connection, id: number): Promise<HeldAccount | null> {
  const isAdmin = exists(
    tables
      .selectFrom("user_account as held")
      .select("held.id")
      .where("held.id", "=", id)
      .where("held.role", "=", ADMIN),
  );
  const held = tables
    .selectFrom("user_account")
    .select(["id", "role", "enabled"])
    .where((row) => row.or([row("id", "=", id), row.and([row("role", "=", ADMIN), isAdmin])]))
    .orderBy("id")
    .forUpdate();
  const accounts = await rowsOf(connection, held);
  const own = accounts.find((account) => account.id === id);
  if (own === undefined) return null;
  const others = accounts.filter((other) => other.id !== id && other.role === UserRole.ADMIN && other.enabled);
  return { role: own.role, isLastAdmin: own.role === UserRole.ADMIN && own.enabled && others.length === 0 };
}

/** The admin that was made first, of those who can sign in if there is one. @returns null when there is none */
export const firstAdmin = (
  connection: Connection,
): Promise<{ readonly id: number; readonly username: string } | null> =>
  rowOf(
    connection,
    tables
      .selectFrom("user_account")
      .select(["id", "username"])
      .where("role", "=", ADMIN)
      .orderBy("enabled", "desc")
      .orderBy("id")
      .limit(1),
  );

/** Which of these another account than `exceptId` has already, in any case. */
export async function taken(
  connection: Connection,
  { email, username }: Pick<NewUser, "email" | "username">,
  exceptId: number | null = null,
): Promise<("email" | "username")[]> {
  const everyone = tables.selectFrom("user_account").select("id");
  const accounts = exceptId === null ? everyone : everyone.where("id", "<>", exceptId);
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
