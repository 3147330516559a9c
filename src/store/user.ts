// Accounts of people.
import type { EntityManager } from "@mikro-orm/postgresql";
import type { UserRole } from "../core/enums.js";
import { UserAccount } from "../entities/userAccount.js";
import { tables, written, type Connection } from "./tables.js";

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

/** @returns the id. @throws UniqueConstraintViolationException for an e-mail or a name that another account has, in any case */
export async function insert(entities: EntityManager, columns: NewUser): Promise<number> {
  const user = entities.create(UserAccount, columns);
  await entities.flush();
  return user.id;
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
export async function remove(entities: EntityManager, id: number): Promise<boolean> {
  return (await entities.nativeDelete(UserAccount, { id })) === 1;
}
