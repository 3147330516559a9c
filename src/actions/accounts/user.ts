// Makes and deletes the people of the service: customers, resellers, operators.
import { generatePassword, hashPassword } from "../../access/password.js";
import { permit } from "../../access/permit.js";
import type { Viewer } from "../../access/viewer.js";
import type { Context } from "../../context/context.js";
import { mayGrantRole, Permission } from "../../core/access/permissions.js";
import { userProblems, type UserRequest } from "../../core/access/userInput.js";
import { UserRole } from "../../core/enums.js";
import type { Problem } from "../../core/problem.js";
import { DroverError, notFound, validationError } from "../../errors/errors.js";
import * as users from "../../store/user.js";
import { inTransaction } from "../../db/transaction.js";
import { brokenUnique } from "../../db/unique.js";
import { findUser, refuseOwnerElsewhere } from "./findUser.js";
import { refuseLastAdmin } from "./lastAdmin.js";

export interface UserInput {
  readonly email: string;
  readonly username: string;
  /** Id that the caller's own system gives the user. */
  readonly userId?: string | null | undefined;
  readonly role?: UserRole | null | undefined;
}

interface CreatedUser {
  readonly id: number;
  /** Generated; returned only here. */
  readonly password: string;
}

/**
 * Makes a user with a generated password; a customer unless another role is asked for.
 * @throws DroverError `validation` that names every offending field, duplicates too; `forbidden` for a role above the caller's
 */
export async function createUser(context: Context, input: UserInput): Promise<CreatedUser> {
  permit(context, Permission.USERS_MANAGE);
  const role = input.role ?? UserRole.CUSTOMER;
  if (!mayManageRole(context.viewer, role))
    throw new DroverError("forbidden", `You may not make a user of role ${role}`);
  const wanted = { email: input.email.trim(), username: input.username.trim(), externalId: blankAsNull(input.userId) };
  const problems = userProblems(wanted);
  if (problems.length > 0) throw validationError(problems);

  const password = generatePassword();
  const user = {
    ...wanted,
    role,
    passwordHash: await hashPassword(password),
    createdBy: context.viewer.kind === "user" ? context.viewer.userId : null,
    createdAt: context.clock.now(),
  };
  const id = await users.insert(context.pool, user).catch(async (error: unknown) => {
    if (brokenUnique(error) === null) throw error;
    throw validationError(await duplicates(context, wanted));
  });
  return { id, password };
}

/**
 * Deletes a user; their guests stay, without an owner.
 * @throws DroverError `notFound` also for users whom the caller does not see, `forbidden` for a role above the caller's
 *   and for an owner of guests outside the caller's scope, `conflict` for the caller's own account and for the last enabled admin
 */
export async function deleteUser(context: Context, id: number): Promise<void> {
  permit(context, Permission.USERS_MANAGE);
  const user = await findUser(context, id);
  if (context.viewer.kind === "user" && context.viewer.userId === id) {
    throw new DroverError("conflict", "You cannot delete your own account", { reason: "OWN_ACCOUNT" });
  }
  if (!mayManageRole(context.viewer, user.role)) throw mayNotDelete(user.role);
  await refuseOwnerElsewhere(context, id);
  const isRemoved = await inTransaction(context.pool, async (client) => {
    const held = await users.holdForChange(client, id);
    if (held === null) return false;
    if (!mayManageRole(context.viewer, held.role)) throw mayNotDelete(held.role);
    refuseLastAdmin(held);
    return users.remove(client, id);
  });
  // Of several who delete the user at once, one did.
  if (!isRemoved) throw notFound(`User ${id}`);
  context.events.emitLocal("access", 0);
}

const mayNotDelete = (role: UserRole): DroverError =>
  new DroverError("forbidden", `You may not delete a user of role ${role}`);

/** Tokens manage customers, whatever else they may do. */
const mayManageRole = (viewer: Viewer, role: UserRole): boolean =>
  viewer.kind === "user" ? mayGrantRole(viewer.role, role) : role === UserRole.CUSTOMER;

export const blankAsNull = (text: string | null | undefined): string | null => text?.trim() || null;

/** What another account than `exceptId` has already. */
export const duplicates = async (
  { pool }: Context,
  wanted: Pick<UserRequest, "email" | "username">,
  exceptId?: number,
): Promise<Problem[]> =>
  (await users.taken(pool, wanted, exceptId)).map((field) => ({ field, message: "is already in use" }));
