// Finds a user whom the caller may manage.
import type { Context } from "../../context/context.js";
import { UserRole } from "../../core/enums.js";
import { notFound } from "../../errors/errors.js";
import { Parameters } from "../../reads/engine/statement.js";
import { visibleUser } from "../../reads/models/visibility.js";

/** An account, as far as it decides what may be done with it. */
export interface FoundUser {
  readonly id: number;
  readonly role: UserRole;
  /** Null: no person made it. */
  readonly createdBy: number | null;
}

/** Tokens manage customers only, whomever they see. @throws DroverError `notFound` also for users whom the caller does not see */
export async function findUser({ viewer, pool, clock }: Context, id: number): Promise<FoundUser> {
  const parameters = new Parameters();
  const visible = visibleUser("u", viewer, parameters.bind) ?? "true";
  const text = `select u.id, u.role, u.created_by as "createdBy" from user_account u
    where u.id = ${parameters.value(id)} and ${visible}`;
  const values = parameters.values({ viewer, now: clock.now(), variables: {} });
  const { rows } = await pool.query<FoundUser>(text, values);
  const [user] = rows;
  if (user === undefined || (viewer.kind === "token" && user.role !== UserRole.CUSTOMER)) throw notFound(`User ${id}`);
  return user;
}
