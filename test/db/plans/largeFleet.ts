// A database with many rows where an operator has them, and what tells of statements which of these tables they would read from end to end.
import type { Pool, PoolClient } from "pg";
import { z } from "zod";
import { fillFleet } from "../../../bench/seed/fleet.js";
import { createTestServices, type TestParts, type TestServices } from "../../support/services.js";

const FLEET = { hosts: 100, nodesPerHost: 5, guests: 30_000 };
/** With fewer rows than these a sequential scan may be the best plan there is. */
const MANY_ROWS = 2_500;

/** What gathers beside the fleet in an hour or a month. */
const GATHERED = `
  insert into session (token_hash, user_id, expires_at)
    select 'session ' || id, id, now() + interval '1 day' from user_account where role = 'customer';
  insert into sign_in (user_id, source_ip, outcome)
    select id, '203.0.113.5', 'signed_in' from user_account, generate_series(1, 5) where role = 'customer';
  insert into known_address (user_id, network, last_at) select id, '203.0.113.5', now() from user_account where role = 'customer';
  insert into run (id, kind) overriding system value values (1000000, 'balance_run');
  insert into agent_job (node_id, kind, status, created_at, deadline, finished_at)
    select id, 'tcp_check', 'done', now(), now(), now() from node, generate_series(1, 50);
  insert into temporary_token (host_id, job_id, user_name, token_name, grants, expires_at, removed_at)
    select source_host_id, job_id, 'root@pam', 'drover-' || id, '[]', finished_at, finished_at from migration;
  vacuum analyze session, sign_in, known_address, agent_job, temporary_token`;

/** Whatever else analysed a table meanwhile would decide what is known of it, and so what is planned. */
const LEAVE_ALONE = `
  do $$ declare name regclass; begin
    for name in select oid from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace loop
      execute format('alter table %s set (autovacuum_enabled = off)', name);
    end loop;
  end $$`;

/**
 * Large tables with pages that vacuum could not mark as visible to all, because something in the database held a snapshot: of
 * such pages PostgreSQL expects that an index-only scan costs twice as much, and reads a table of fifty pages whole instead.
 */
const NOT_VISIBLE = `
  select from pg_class
  where relkind = 'r' and relnamespace = 'public'::regnamespace and reltuples >= $1 and relallvisible < relpages`;

export interface Statement {
  readonly text: string;
  readonly values: unknown[];
}

export interface LargeFleet {
  readonly services: TestServices;
  /** Tables with many rows. */
  readonly large: ReadonlySet<string>;
  /** Large tables that the statement would read from end to end; it is not run. */
  scanned(statement: Statement): Promise<string[]>;
}

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string | undefined;
  readonly Plans?: readonly PlanNode[] | undefined;
}

const planNode: z.ZodType<PlanNode> = z.object({
  "Node Type": z.string(),
  "Relation Name": z.string().optional(),
  get Plans() {
    return z.array(planNode).optional();
  },
});
const explained = z.tuple([z.object({ "QUERY PLAN": z.tuple([z.object({ Plan: planNode })]) })]);

/** The caller closes its services. */
export async function openLargeFleet(parts: TestParts = {}): Promise<LargeFleet> {
  const services = await createTestServices(parts);
  await services.pool.query(LEAVE_ALONE);
  await fillFleet(services.pool, FLEET);
  for (const statement of GATHERED.split(";")) await services.pool.query(statement);
  while ((await services.pool.query(NOT_VISIBLE, [MANY_ROWS])).rowCount !== 0) await services.pool.query("vacuum");
  const { rows } = await services.pool.query<{ relname: string }>(
    `select relname from pg_class where relkind = 'r' and reltuples >= $1`,
    [MANY_ROWS],
  );
  const large = new Set(rows.map(({ relname }) => relname));
  return {
    services,
    large,
    async scanned({ text, values }) {
      const plans = await services.pool.query({ text: `explain (format json) ${text}`, values });
      const plan = explained.parse(plans.rows)[0]["QUERY PLAN"][0].Plan;
      return scannedTables(plan).filter((table) => large.has(table));
    },
  };
}

const scannedTables = (plan: PlanNode): string[] => [
  ...(plan["Node Type"] === "Seq Scan" ? [plan["Relation Name"] ?? ""] : []),
  ...(plan.Plans ?? []).flatMap(scannedTables),
];

type Query = (asked: string | Partial<Statement>, ...others: unknown[]) => unknown;

/** The pool, with what is asked of it and of its connections noted. */
export function recording(pool: Pool, statements: Statement[]): Pool {
  const noting =
    (query: Query): Query =>
    (asked, ...others) => {
      const { text = "", values = valuesOf(others) } = typeof asked === "string" ? { text: asked } : asked;
      if (CAN_BE_EXPLAINED.test(text)) statements.push({ text, values });
      return query(asked, ...others);
    };
  const connect = async (): Promise<PoolClient> => {
    const client = await pool.connect();
    return replacing(client, { query: noting((...asked) => Reflect.apply(client.query.bind(client), client, asked)) });
  };
  return replacing(pool, {
    query: noting((...asked) => Reflect.apply(pool.query.bind(pool), pool, asked)),
    connect,
  });
}

/** The same with other members of these names. */
const replacing = <Target extends object>(target: Target, members: Readonly<Record<string, unknown>>): Target =>
  new Proxy(target, { get: (one, key) => Reflect.get(Object.hasOwn(members, key) ? members : one, key) });

const CAN_BE_EXPLAINED = /^\s*(?:select|with|insert|update|delete)\b/i;

const valuesOf = ([values]: readonly unknown[]): unknown[] => (Array.isArray(values) ? values : []);
