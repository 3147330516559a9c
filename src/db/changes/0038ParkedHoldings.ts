// Schema change 38: what a parked job holds stays held, whichever release sweeps: earlier ones take such a job for ended.
import { Migration } from "@mikro-orm/migrations";

const HELD_BY_JOB = "old.job_id is not null";
/** Rows that follow a host, a node, a zone or a job which is deleted go with it. */
const BY_ITSELF = "pg_trigger_depth() = 0";

const TABLES = ["resource_lock", "vmid_reservation", "capacity_reservation", "ip_address"];

export class Change0038ParkedHoldings extends Migration {
  override up(): void {
    this.addSql(`
      create function keep_for_parked_job() returns trigger language plpgsql as $$
        begin
          if exists (select from job where id = old.job_id and parked_at is not null) then return null; end if;
          if tg_op = 'DELETE' then return old; end if;
          return new;
        end
      $$`);
    for (const table of TABLES)
      this.addSql(`
        create trigger ${table}_kept before delete on ${table} for each row
          when (${HELD_BY_JOB} and ${BY_ITSELF}) execute function keep_for_parked_job()`);
    this.addSql(`
      create trigger ip_address_kept_by_job before update of job_id on ip_address for each row
        when (${HELD_BY_JOB} and new.job_id is null and ${BY_ITSELF}) execute function keep_for_parked_job()`);
  }

  override down(): void {
    this.addSql(`drop function keep_for_parked_job cascade`);
  }
}
