// Accounts of people.
import type { UserRole } from "../core/enums.js";
import { insertedId, tables, written, type Connection } from "./tables.js";

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

/** Deletes an account; guests stay, without an owner. @returns false when it was deleted meanwhile */
export const remove = async (connection: Connection, id: number): Promise<boolean> =>
  (await written(connection, tables.deleteFrom("user_account").where("id", "=", id))) === 1;
