// Schema change 8: moves between hosts: what was asked and what became of it, and the short-lived tokens that they need on their targets.
import { Migration } from "@mikro-orm/migrations";

export class Change0008Migration extends Migration {
  override up(): void {
    // History outlives hosts, guests and jobs: their ids are kept without being tied to their rows.
    this.addSql(`
      create table migration (
        id integer generated always as identity primary key,
        job_id integer references job (id) on delete set null,
        guest_id integer not null,
        guest_name text not null,
        guest_type text not null check (guest_type in ('qemu', 'lxc')),
        vmid integer not null,
        target_vmid integer not null,
        source_host_id integer not null,
        source_node text not null,
        target_host_id integer not null,
        target_node text not null,
        mode text not null check (mode in ('live', 'restart', 'offline')),
        status text not null default 'queued'
          check (status in ('queued', 'running', 'done', 'done_with_warnings', 'failed')),
        error text,
        bytes_total bigint,
        bytes_copied bigint,
        log text[] not null default '{}',
        transfer_done boolean not null default false,
        safety_copy_guest_id integer,
        evacuation_id integer,
        balance_run_id integer,
        created_at timestamptz not null default now(),
        started_at timestamptz,
        finished_at timestamptz,
        check (source_host_id <> target_host_id),
        check ((status = 'failed') = (error is not null))
      )`);
    this.addSql(`create unique index migration_job on migration (job_id)`);
    this.addSql(`create index migration_source on migration (source_host_id, source_node, id desc)`);
    this.addSql(`create index migration_target on migration (target_host_id, target_node, id desc)`);

    this.addSql(`
      create table temporary_token (
        id integer generated always as identity primary key,
        host_id integer not null references host (id) on delete cascade,
        job_id integer references job (id) on delete set null,
        user_name text not null,
        token_name text not null,
        grants jsonb not null default '[]',
        secret_encrypted text,
        expires_at timestamptz not null,
        created_at timestamptz not null default now(),
        removed_at timestamptz,
        unique (host_id, user_name, token_name),
        check (removed_at is null or secret_encrypted is null)
      )`);
    this.addSql(`create index temporary_token_left on temporary_token (job_id) where removed_at is null`);

    // A move stands where its job stands: whoever ends the job, in whichever way, ends the move with it.
    this.addSql(`
      create function migration_follows_job() returns trigger language plpgsql as $$
        begin
          update migration set
            status = case
              when new.status = 'done' and exists (select 1 from job_step where job_id = new.id and status = 'warned')
                then 'done_with_warnings'
              else new.status end,
            error = new.error,
            started_at = coalesce(started_at, new.started_at),
            finished_at = new.finished_at
          where job_id = new.id;
          return null;
        end
      $$`);
    this.addSql(`
      create trigger job_moves_migration after update of status on job for each row
        when (new.kind = 'migration' and old.status is distinct from new.status)
        execute function migration_follows_job()`);

    this.addSql(`
      create function announce_migration() returns trigger language plpgsql as $$
        begin perform announce('migration', new.id); return null; end
      $$`);
    this.addSql(
      `create trigger migration_made after insert on migration for each row execute function announce_migration()`,
    );
    this.addSql(`
      create trigger migration_changed after update on migration for each row
        when (old.* is distinct from new.*) execute function announce_migration()`);
    this.addSql(`
      create function announce_migration_of_job() returns trigger language plpgsql as $$
        begin perform announce('migration', id) from migration where job_id = new.id; return null; end
      $$`);
    this.addSql(`
      create trigger migration_advanced after update on job for each row
        when (new.kind = 'migration' and (old.step, old.progress) is distinct from (new.step, new.progress))
        execute function announce_migration_of_job()`);
  }

  override down(): void {
    this.addSql(`drop function migration_follows_job, announce_migration_of_job, announce_migration cascade`);
    this.addSql(`drop table temporary_token, migration`);
  }
}
