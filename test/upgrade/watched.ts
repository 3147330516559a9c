// Databases of a capture: one that is lost at a statement of a worker, and what is sent to any of them.
import { Client, type Pool, type PoolClient } from "pg";

/** Where a worker is killed. */
export interface Place {
  readonly statement: number;
  readonly moment: "before" | "after";
  /** Statements inside of transactions count too. */
  readonly transactions: boolean;
}

/** A database that is lost for good at the given statement. */
export function dying(pool: Pool, at: Place) {
  const death = new AbortController();
  let count = 0;
  const killed = (): never => {
    death.abort(new Error("the worker was killed"));
    throw new Error("the worker was killed");
  };
  const die = (): void => death.abort(new Error("the worker was killed"));
  const counted =
    (target: Pool | PoolClient) =>
    async (...parameters: unknown[]): Promise<unknown> => {
      if (death.signal.aborted && parameters[0] !== "rollback") killed();
      const isLast = ++count === at.statement;
      if (isLast && at.moment === "before") killed();
      const result: unknown = await Reflect.apply(target.query.bind(target), target, parameters);
      return isLast && at.moment === "after" ? killed() : result;
    };
  const client = (connected: PoolClient): PoolClient =>
    new Proxy(connected, {
      get(target, key) {
        if (key === "query" && at.transactions) return counted(target);
        const value: unknown = Reflect.get(target, key);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  const proxy = new Proxy(pool, {
    get(target, key) {
      if (key === "query") return counted(target);
      if (key === "connect") return async () => (death.signal.aborted ? killed() : client(await target.connect()));
      return Reflect.get(target, key);
    },
  });
  return { pool: proxy, death: death.signal, die };
}

/** Transactions, and what a database is made with, are left out. */
export const STATEMENT = /^\s*(?:select|insert|update|delete|with)\b(?!.*schema_change)/is;

/** @returns the texts of all statements that this process sends from now on */
export function watchStatements(): ReadonlySet<string> {
  const texts = new Set<string>();
  // oxlint-disable-next-line typescript/unbound-method -- it is called on the client that the statement is for
  const sent = Client.prototype.query;
  Client.prototype.query = function (this: Client, ...parameters: unknown[]): never {
    const [first] = parameters;
    const text = typeof first === "object" && first !== null && "text" in first ? first.text : first;
    if (typeof text === "string") texts.add(text);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- whatever it is, its caller gets it as it is
    return Reflect.apply(sent, this, parameters) as never;
  };
  return texts;
}
