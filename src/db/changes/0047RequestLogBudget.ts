// Schema change 47: how much disk the request log may take, and what was dropped to keep it below.
import { Migration } from "@mikro-orm/migrations";

export class Change0047RequestLogBudget extends Migration {
  override up(): void {
    this.addSql(`alter table setting add column request_log_max_mb integer not null default 20480`);
    // What an operator has let grow so far is not to be dropped by an upgrade.
    this.addSql(`
      update setting set request_log_max_mb = least(10000000, greatest(20480, (
        select ceil(2 * sum(pg_total_relation_size(inhrelid)) / 1048576) from pg_inherits
        where inhparent = 'request_log'::regclass)))`);
    this.addSql(`alter table setting add check (request_log_max_mb > 0)`);
    this.addSql(`
      create table request_log_budget (
        one_row boolean primary key default true check (one_row),
        size_bytes bigint not null,
        dropped_through date,
        dropped_at timestamptz,
        check ((dropped_through is null) = (dropped_at is null))
      )`);
  }

  override down(): void {
    this.addSql(`drop table request_log_budget`);
    this.addSql(`alter table setting drop column request_log_max_mb`);
  }
}
