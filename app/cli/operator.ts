// Lets a command act on the service's database as its first admin, whether the service runs or not.
import { randomUUID } from "node:crypto";
import { graphql } from "graphql";
import type { Pool } from "pg";
import { buildDroverSchema } from "../../resolvers/buildSchema.js";
import type { Viewer } from "../../src/access/viewer.js";
import type { Context } from "../../src/context/context.js";
import { permissionsOfRole } from "../../src/core/access/permissions.js";
import { UserRole } from "../../src/core/enums.js";
import { reachDatabase } from "../../src/db/reach.js";
import { createLogger, type Logger } from "../../src/observability/log.js";
import { ensureAdmin, firstAdmin } from "../server/firstAdmin.js";
import { openServices } from "../server/services.js";
import { Teardown } from "../server/teardown.js";
import { commandConfig } from "./commandConfig.js";

const PATIENCE_MS = 10_000;

/** A command's log goes to standard error, and is quiet unless `LOG_LEVEL` asks for it. */
export const commandLog = (): Logger => createLogger(process.env["LOG_LEVEL"] ?? "error", "command", "error");

/** Runs `act` with an open service, and closes what it opened. @throws ConfigError, or what `act` throws */
export async function asOperator<Result>(act: (context: Context) => Promise<Result>): Promise<Result> {
  const config = await commandConfig(process.env);
  const log = commandLog();
  const teardown = new Teardown(log);
  try {
    const reached = await reachDatabase(config, "borrow", { log, patienceMs: PATIENCE_MS });
    teardown.add("server", "embedded PostgreSQL", () => reached.stop());
    const { services } = await openServices({ config, log, reached, teardown });
    const viewer = await operator(services.pool, config.adminPassword);
    return await act({ ...services, viewer, requestId: randomUUID(), sourceIp: "127.0.0.1" });
  } finally {
    await teardown.run();
  }
}

/** Whoever may read the service's secrets on this machine may do everything. */
async function operator(pool: Pool, chosenPassword: string | undefined): Promise<Viewer> {
  const made = await ensureAdmin(pool, chosenPassword);
  if (made !== null && chosenPassword === undefined) {
    process.stderr.write(
      `drover: made the user ${made.username} with the password ${made.password} (shown only now)\n`,
    );
  }
  const admin = await firstAdmin(pool);
  if (admin === null) throw new Error("The user `admin` has another role, and there is no admin");
  const permissions = new Set(permissionsOfRole(UserRole.ADMIN));
  const { id: userId, username } = admin;
  return {
    kind: "user",
    userId,
    username,
    role: UserRole.ADMIN,
    permissions,
    hostIds: null,
    sessionId: 0,
    mustSetUp: false,
  };
}

/** Answers a GraphQL query. @throws the first error of it */
export async function ask(context: Context, source: string, variables: Record<string, unknown>): Promise<unknown> {
  const { data, errors } = await graphql({
    schema: buildDroverSchema(),
    source,
    variableValues: variables,
    contextValue: context,
  });
  const [error] = errors ?? [];
  if (error !== undefined) throw error.originalError ?? error;
  return data;
}
