// Makes and deletes the people of the service: customers, resellers, operators.
import { generatePassword, hashPassword } from "../../access/password.js";
import { outOfScope, permit } from "../../access/permit.js";
import type { Viewer } from "../../access/viewer.js";
import type { Context } from "../../context/context.js";
import { mayGrantRole, Permission } from "../../core/access/permissions.js";
import { userProblems, type UserRequest } from "../../core/access/userInput.js";
import { UserRole } from "../../core/enums.js";
import type { Problem } from "../../core/problem.js";
import { DroverError, notFound, validationError } from "../../errors/errors.js";
import * as guests from "../../store/guest/known.js";
import * as users from "../../store/user.js";
import { brokenUnique } from "../../db/unique.js";
import { findUser } from "./findUser.js";

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
 *   and for an owner of guests outside the caller's scope, `conflict` for the caller's own account
 */
export async function deleteUser(context: Context, id: number): Promise<void> {
  permit(context, Permission.USERS_MANAGE);
  const user = await findUser(context, id);
  if (context.viewer.kind === "user" && context.viewer.userId === id) {
    throw new DroverError("conflict", "You cannot delete your own account", { reason: "OWN_ACCOUNT" });
  }
  if (!mayManageRole(context.viewer, user.role)) {
    throw new DroverError("forbidden", `You may not delete a user of role ${user.role}`);
  }
  await refuseOwnerElsewhere(context, id);
  // Of several who delete the user at once, one did.
  if (!(await users.remove(context.pool, id))) throw notFound(`User ${id}`);
  context.events.emitLocal("access", 0);
}

/** Guests that would lose their owner are changed by it. @throws DroverError forbidden */
async function refuseOwnerElsewhere({ pool, viewer }: Context, id: number): Promise<void> {
  if (await guests.isOwnedElsewhere(pool, id, viewer.hostIds)) throw outOfScope("The user has guests");
}

/** Tokens manage customers, whatever else they may do. */
const mayManageRole = (viewer: Viewer, role: UserRole): boolean =>
  viewer.kind === "user" ? mayGrantRole(viewer.role, role) : role === UserRole.CUSTOMER;

const blankAsNull = (text: string | null | undefined): string | null => text?.trim() || null;

const duplicates = async ({ pool }: Context, wanted: UserRequest): Promise<Problem[]> =>
  (await users.taken(pool, wanted)).map((field) => ({ field, message: "is already in use" }));
