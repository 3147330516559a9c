// Makes and deletes the people of the service: customers, resellers, operators.
import { UniqueConstraintViolationException, type EntityManager } from "@mikro-orm/postgresql";
import { generatePassword, hashPassword } from "../../access/password.js";
import { outOfScope, permit } from "../../access/permit.js";
import type { Viewer } from "../../access/viewer.js";
import type { Context } from "../../context/context.js";
import { mayGrantRole, Permission } from "../../core/access/permissions.js";
import { userProblems, type UserRequest } from "../../core/access/userInput.js";
import { UserRole } from "../../core/enums.js";
import type { Problem } from "../../core/problem.js";
import { UserAccount } from "../../entities/userAccount.js";
import { DroverError, notFound, validationError } from "../../errors/errors.js";

export interface UserInput {
  readonly email: string;
  readonly username: string;
  /** Id that the caller's own system gives the user. */
  readonly userId?: string | null | undefined;
  readonly role?: UserRole | null | undefined;
}

interface CreatedUser {
  readonly id: number;
  /** Generated; told once. */
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
  const entities = context.entities();
  const user = entities.create(UserAccount, {
    ...wanted,
    role,
    passwordHash: await hashPassword(password),
    createdBy: context.viewer.kind === "user" ? context.viewer.userId : null,
    createdAt: context.clock.now(),
  });
  await flushUnique(entities, wanted);
  return { id: user.id, password };
}

/**
 * Deletes a user; their guests stay, without an owner.
 * @throws DroverError `notFound` also for users whom the caller does not see, `forbidden` for a role above the caller's
 *   and for an owner of guests outside the caller's scope, `conflict` for the caller's own account
 */
export async function deleteUser(context: Context, id: number): Promise<void> {
  permit(context, Permission.USERS_MANAGE);
  const entities = context.entities();
  const user = await findUser(context, entities, id);
  if (context.viewer.kind === "user" && context.viewer.userId === id) {
    throw new DroverError("conflict", "You cannot delete your own account", { reason: "OWN_ACCOUNT" });
  }
  if (!mayManageRole(context.viewer, user.role)) {
    throw new DroverError("forbidden", `You may not delete a user of role ${user.role}`);
  }
  await refuseOwnerElsewhere(context, id);
  // Of several who delete the user at once, one did.
  if ((await entities.nativeDelete(UserAccount, { id })) === 0) throw notFound(`User ${id}`);
  context.events.emitLocal("access", 0);
}

/** Guests that would lose their owner are changed by it. @throws DroverError forbidden */
async function refuseOwnerElsewhere({ pool, viewer }: Context, id: number): Promise<void> {
  const { rowCount } = await pool.query(
    `select 1 from guest where owner_id = $1 and gone_at is null and host_id <> all($2) limit 1`,
    [id, viewer.hostIds],
  );
  if (rowCount !== 0) throw outOfScope("The user has guests");
}

/** Loads a user whom the caller may manage: those whom they see, but for tokens, which manage customers only. @throws DroverError `notFound` */
export async function findUser({ viewer }: Context, entities: EntityManager, id: number): Promise<UserAccount> {
  const user = await entities.findOne(UserAccount, id);
  if (user === null || !isVisible(viewer, user)) throw notFound(`User ${id}`);
  return user;
}

function isVisible(viewer: Viewer, user: UserAccount): boolean {
  if (viewer.kind === "anonymous") return false;
  if (viewer.kind === "token") return user.role === UserRole.CUSTOMER;
  if (viewer.role === UserRole.ADMIN || viewer.role === UserRole.OPERATOR || viewer.userId === user.id) return true;
  return viewer.role === UserRole.RESELLER && user.createdBy?.id === viewer.userId;
}

/** Tokens manage customers, whatever else they may do. */
const mayManageRole = (viewer: Viewer, role: UserRole): boolean =>
  viewer.kind === "user" ? mayGrantRole(viewer.role, role) : role === UserRole.CUSTOMER;

const blankAsNull = (text: string | null | undefined): string | null => text?.trim() || null;

async function flushUnique(entities: EntityManager, wanted: UserRequest): Promise<void> {
  try {
    await entities.flush();
  } catch (error) {
    if (!(error instanceof UniqueConstraintViolationException)) throw error;
    throw validationError(await duplicates(entities, wanted));
  }
}

async function duplicates(entities: EntityManager, { email, username }: UserRequest): Promise<Problem[]> {
  const taken = await entities.execute<{ field: string }[]>(
    `select 'email' as field where exists (select 1 from user_account where lower(email) = lower(?))
     union all select 'username' where exists (select 1 from user_account where lower(username) = lower(?))`,
    [email, username],
  );
  return taken.map(({ field }) => ({ field, message: "is already in use" }));
}
