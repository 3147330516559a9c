// Schema change 10: an index for every filter and order that lists offer, so that none of them reads a large table from end to end.
import { Migration } from "@mikro-orm/migrations";

/**
 * No index on what a sync writes all the time (CPU and memory in use): it would have every such write touch every index.
 * Lists in the order of those are sorted.
 */
const GUEST_INDEXES = [
  ["guest_type", "type, host_id, vmid"],
  ["guest_status", "status, host_id, vmid"],
  ["guest_by_vmid", "vmid, host_id"],
  ["guest_name", "name, host_id, vmid"],
  ["guest_created_at", "created_at, host_id, vmid"],
] as const;

/** Columns of which a part is searched for, and the rows in question. */
const SEARCHED = [
  ["guest", "name", "where gone_at is null"],
  ["user_account", "email", ""],
  ["user_account", "username", ""],
  ["user_account", "external_id", ""],
] as const;

export class Change0010ListIndexes extends Migration {
  override up(): void {
    for (const [name, columns] of GUEST_INDEXES) {
      this.addSql(`create index ${name} on guest (${columns}) where gone_at is null`);
    }
    this.addSql(`create index user_account_role on user_account (role, id)`);
    this.addSql(`create index job_status on job (status, id desc)`);
    this.addSql(`create index job_kind on job (kind, id desc)`);
    this.addSql(`create index job_vmid on job (vmid, id desc)`);
    this.addSql(`create index migration_status on migration (status, id desc)`);
    this.addSql(`create index migration_source_node on migration (source_node, id desc)`);
    this.addSql(`create index migration_target_node on migration (target_node, id desc)`);
    this.addSql(`create index request_log_status on request_log (status, at desc)`);
    this.addSql(`create index request_log_source_ip on request_log (source_ip, at desc)`);
    for (const [table, column, rows] of SEARCHED) this.addSql(trigramIndex(table, column, rows));
  }

  override down(): void {
    for (const [table, column] of SEARCHED) this.addSql(`drop index if exists ${table}_${column}_part`);
    this.addSql(`drop index request_log_source_ip, request_log_status, migration_target_node, migration_source_node`);
    this.addSql(`drop index migration_status, job_vmid, job_kind, job_status, user_account_role`);
    this.addSql(`drop index ${GUEST_INDEXES.map(([name]) => name).join(", ")}`);
  }
}

/** Without the extension (it comes with every usual PostgreSQL) searches work all the same, only slower. */
const trigramIndex = (table: string, column: string, rows: string): string => `
  do $$ begin
    if exists (select from pg_available_extensions where name = 'pg_trgm') then
      create extension if not exists pg_trgm;
      create index ${table}_${column}_part on ${table} using gin (${column} gin_trgm_ops) ${rows};
    end if;
  end $$`;
