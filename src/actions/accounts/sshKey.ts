// Stores and removes the SSH keys that are installed on a user's new guests.
import { permit, permitEverywhere, permitSignedIn } from "../../access/permit.js";
import { readPublicKey } from "../../access/publicKey.js";
import type { Context } from "../../context/context.js";
import { Permission } from "../../core/access/permissions.js";
import { DroverError, notFound, validationError } from "../../errors/errors.js";
import * as sshKeys from "../../store/sshKey.js";
import { nameProblems } from "../inputProblems.js";
import { brokenUnique } from "../../db/unique.js";
import { findUser } from "./findUser.js";

interface SshKeyInput {
  readonly userId: number;
  /** Blank: the key's own comment. */
  readonly name: string;
  readonly publicKey: string;
}

/** A stored key, as it is shown. */
export interface SshKeyRecord {
  readonly id: number;
  readonly name: string;
  readonly fingerprint: string;
}

/** @throws DroverError `validation` for a malformed key or one that the user has already; `notFound` for an unknown user */
export async function addSshKey(context: Context, { userId, name, publicKey }: SshKeyInput): Promise<SshKeyRecord> {
  permitOwnOrManaged(context, userId);
  await findUser(context, userId);
  const read = readPublicKey(publicKey, "publicKey");
  if (!read.ok) throw validationError(read.problems);
  const keyName = name.trim() || read.value.comment || read.value.fingerprint;
  const problems = nameProblems(keyName);
  if (problems.length > 0) throw validationError(problems);
  const { line, fingerprint } = read.value;
  const key = { userId, name: keyName, publicKey: line, fingerprint, createdAt: context.clock.now() };
  const id = await sshKeys.insert(context.pool, key).catch((error: unknown) => {
    if (brokenUnique(error) === null) throw error;
    throw validationError([{ field: "publicKey", message: "is already stored for this user" }]);
  });
  return { id, name: keyName, fingerprint };
}

/** @throws DroverError `notFound` also for keys of users whom the caller does not see */
export async function removeSshKey(context: Context, id: number): Promise<void> {
  permitSignedIn(context);
  const userId = await sshKeys.ownerOf(context.pool, id);
  if (userId === null) throw notFound(`SSH key ${id}`);
  // Before the permission: who lacks it learns nothing of keys that they cannot see.
  await findUser(context, userId).catch((error: unknown) => {
    throw error instanceof DroverError ? notFound(`SSH key ${id}`) : error;
  });
  permitOwnOrManaged(context, userId);
  await sshKeys.remove(context.pool, id);
}

/** Everybody looks after their own keys; those of others need the permission, and are installed on every host. */
function permitOwnOrManaged(context: Context, userId: number): void {
  permitSignedIn(context);
  if (context.viewer.kind === "user" && context.viewer.userId === userId) return;
  permit(context, Permission.USERS_MANAGE);
  permitEverywhere(context, "A key of another user");
}
