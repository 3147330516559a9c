// Lets MikroORM's units of work run on a pool that others use too, and gives back what they would keep.
import {
  PostgresDialect,
  PostgresDriver,
  type Driver,
  type PostgresDialectConfig,
  type TransactionSettings,
} from "kysely";
import type { Pool } from "pg";

/** The dialect that MikroORM is given as its driver's options. */
export function unitOfWorkDialect(pool: Pool): PostgresDialect {
  return new UnitOfWorkDialect({ pool });
}

class UnitOfWorkDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig;

  constructor(config: PostgresDialectConfig) {
    super(config);
    this.#config = config;
  }

  override createDriver(): Driver {
    return new UnitOfWorkDriver(this.#config);
  }
}

/** A connection that the driver has reserved from the pool. */
type Reserved = Parameters<PostgresDriver["releaseConnection"]>[0];

class UnitOfWorkDriver extends PostgresDriver {
  override async beginTransaction(connection: Reserved, settings: TransactionSettings): Promise<void> {
    await this.#releasedOnFailure(connection, super.beginTransaction(connection, settings));
  }

  override async rollbackTransaction(connection: Reserved): Promise<void> {
    await this.#releasedOnFailure(connection, super.rollbackTransaction(connection));
  }

  /** The pool outlives MikroORM: its owner ends it. */
  override destroy(): Promise<void> {
    return Promise.resolve();
  }

  /**
   * Kysely keeps the connection of a transaction that it could neither begin nor roll back. The pool discards a connection that
   * was lost; one that still answers has no transaction open.
   */
  async #releasedOnFailure(connection: Reserved, control: Promise<void>): Promise<void> {
    try {
      await control;
    } catch (error) {
      await this.releaseConnection(connection);
      throw error;
    }
  }
}
