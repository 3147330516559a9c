// Ends sessions of people: their own, or those of the users whom they manage.
import { permitKnown } from "../../access/permit.js";
import type { Context } from "../../context/context.js";
import { DroverError, notFound } from "../../errors/errors.js";
import * as sessions from "../../store/session.js";
import { findManaged } from "./findUser.js";
import { personOf } from "./checkedPassword.js";

/**
 * Ends the caller's session at once.
 * @returns false when the caller has none, as with an API token
 * @throws DroverError `unauthenticated` when nobody is signed in
 */
export async function logout(context: Context): Promise<boolean> {
  permitKnown(context);
  const { viewer } = context;
  if (viewer.kind !== "user") return false;
  await sessions.close(context.pool, viewer.sessionId);
  context.sessionCookie?.clear();
  context.events.emitLocal("access", 0);
  return true;
}

/**
 * Ends a session at once here and, within a second, in every other process.
 * @throws DroverError `notFound` also for sessions of users whom the caller may not manage
 */
export async function endSession(context: Context, id: number): Promise<void> {
  permitKnown(context);
  const userId = await sessions.ownerOf(context.pool, id);
  if (userId === null) throw notFound(`Session ${id}`);
  await permitSessionsOf(context, userId).catch((error: unknown) => {
    // Who may not manage its user learns nothing of a session.
    throw error instanceof DroverError ? notFound(`Session ${id}`) : error;
  });
  if (!(await sessions.close(context.pool, id))) throw notFound(`Session ${id}`);
  context.events.emitLocal("access", 0);
}

/**
 * Ends all sessions of a user, of the caller's own all but the present one.
 * @param userId null: the caller's own
 * @returns how many
 * @throws DroverError `notFound` also for users whom the caller does not see; `forbidden`
 */
export async function endSessions(context: Context, userId: number | null): Promise<number> {
  const id = await permitSessionsOf(context, userId);
  const { viewer } = context;
  const present = viewer.kind === "user" && viewer.userId === id ? viewer.sessionId : null;
  const ended = await sessions.closeAll(context.pool, id, present);
  context.events.emitLocal("access", 0);
  return ended;
}

/** Ends the sessions of everybody, as after a restore of the database: some of them had been ended since the backup. @returns how many */
export async function endEveryonesSessions(context: Context): Promise<number> {
  const ended = await sessions.closeEveryones(context.pool);
  context.events.emitLocal("access", 0);
  return ended;
}

/**
 * Own sessions are everybody's to see and to end, those of others theirs who may manage the user.
 * @param userId null: the caller
 * @returns whose they are
 * @throws DroverError as {@link findManaged}; `forbidden` for the own sessions of an API token
 */
export async function permitSessionsOf(context: Context, userId: number | null): Promise<number> {
  permitKnown(context);
  const { viewer } = context;
  if (userId === null) return personOf(context).userId;
  if (viewer.kind !== "user" || viewer.userId !== userId) await findManaged(context, userId);
  return userId;
}
