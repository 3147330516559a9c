// Schema change 34: jobs say in which version their JSON is stored, are kept from processes that cannot read it, can be parked; work can be drained.
import { Migration } from "@mikro-orm/migrations";

const SECRETS = `status in ('queued', 'running') or secrets_encrypted is null`;

export class Change0034StoredVersions extends Migration {
  override up(): void {
    // Version 0: made by a release that named none.
    this.addSql(`alter table job add column version smallint not null default 0`);
    this.addSql(`alter table job add column parked_at timestamptz`);
    this.addSql(`alter table job add constraint job_parked check (parked_at is null or status = 'failed')`);
    // A parked job keeps what it needs to go on.
    this.addSql(`alter table job drop constraint job_check2`);
    this.addSql(`alter table job add constraint job_secrets check (${SECRETS} or parked_at is not null)`);

    // A claim names in `reads` the newest version that its process reads; one of an earlier release names none. It is never kept.
    this.addSql(`alter table job add column reads smallint`);
    this.addSql(`
      create function refuse_unreadable_claim() returns trigger language plpgsql as $$
        begin
          if coalesce(new.reads, 0) < old.version then return null; end if;
          new.reads := null;
          return new;
        end
      $$`);
    this.addSql(`
      create trigger job_claimed before update of lease_epoch on job for each row
        when (old.lease_epoch is distinct from new.lease_epoch) execute function refuse_unreadable_claim()`);

    // While there is a row, no worker begins a job.
    this.addSql(`
      create table drain (
        one_row boolean primary key default true check (one_row),
        begun_by text not null,
        since timestamptz not null default service_now()
      )`);
  }

  override down(): void {
    this.addSql(`drop table drain`);
    this.addSql(`drop function refuse_unreadable_claim cascade`);
    this.addSql(`update job set secrets_encrypted = null where parked_at is not null`);
    this.addSql(`alter table job drop constraint job_secrets`);
    this.addSql(`alter table job add constraint job_check2 check (${SECRETS})`);
    this.addSql(`alter table job drop column version, drop column parked_at, drop column reads`);
  }
}
