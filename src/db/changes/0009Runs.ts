// Schema change 9: runs: evacuations of hosts and balance runs, each a list of guests that move one at a time.
import { Migration } from "@mikro-orm/migrations";

export class Change0009Runs extends Migration {
  override up(): void {
    // History outlives hosts and guests: their ids are kept without being tied to their rows.
    this.addSql(`
      create table run (
        id integer generated always as identity primary key,
        kind text not null check (kind in ('evacuation', 'balance_run')),
        job_id integer references job (id) on delete set null,
        host_id integer,
        node text,
        target_host_id integer,
        target_node text,
        ip_zone_id integer,
        drop_port_forwards boolean not null default false,
        host_scope integer[],
        created_at timestamptz not null default now(),
        started_at timestamptz,
        stop_requested_at timestamptz,
        finished_at timestamptz,
        check ((kind = 'evacuation') = (host_id is not null))
      )`);
    this.addSql(`create unique index run_job on run (job_id)`);
    this.addSql(
      `create unique index run_active_evacuation on run (host_id) where kind = 'evacuation' and finished_at is null`,
    );
    this.addSql(`
      create table run_item (
        id integer generated always as identity primary key,
        run_id integer not null references run (id) on delete cascade,
        position integer not null,
        guest_id integer not null,
        guest_name text not null,
        vmid integer not null,
        status text not null default 'waiting'
          check (status in ('waiting', 'running', 'done', 'done_with_warnings', 'failed', 'skipped')),
        reason text,
        migration_id integer references migration (id) on delete set null,
        from_host_id integer not null,
        from_node text not null,
        to_host_id integer,
        to_node text,
        to_storage text,
        started_at timestamptz,
        finished_at timestamptz,
        unique (run_id, position),
        check ((to_host_id is null) = (to_node is null)),
        check ((status in ('waiting', 'running')) = (finished_at is null)),
        check (status not in ('failed', 'skipped') or reason is not null)
      )`);
    this.addSql(`create unique index run_item_running on run_item (run_id) where status = 'running'`);
    this.addSql(`create unique index run_item_guest on run_item (guest_id) where status in ('waiting', 'running')`);
    this.addSql(`create index run_item_migration on run_item (migration_id)`);
    this.addSql(`create index run_item_promise on run_item (to_host_id, to_node) where status = 'waiting'`);

    // A run stands where its job stands: whoever ends the job, in whichever way, leaves no guest waiting for its turn.
    this.addSql(`
      create function run_follows_job() returns trigger language plpgsql as $$
        begin
          update run set started_at = coalesce(started_at, new.started_at), finished_at = new.finished_at
          where job_id = new.id;
          if new.finished_at is not null then
            update run_item i set status = case when i.status = 'running' then 'failed' else 'skipped' end,
              reason = coalesce('the run ended: ' || new.error, 'the run ended'), finished_at = new.finished_at
            from run r where r.job_id = new.id and i.run_id = r.id and i.status in ('waiting', 'running');
          end if;
          return null;
        end
      $$`);
    this.addSql(`
      create trigger job_moves_run after update of status on job for each row
        when (new.kind in ('evacuation', 'balance_run') and old.status is distinct from new.status)
        execute function run_follows_job()`);

    this.addSql(`
      create function announce_run() returns trigger language plpgsql as $$
        begin perform announce('run', new.id); return null; end
      $$`);
    this.addSql(`create trigger run_changed after update on run for each row execute function announce_run()`);
    this.addSql(`
      create function announce_run_of_items() returns trigger language plpgsql as $$
        begin perform announce('run', run_id) from (select distinct run_id from changed) as runs; return null; end
      $$`);
    this.addSql(`
      create trigger run_item_changed after update on run_item referencing new table as changed
        for each statement execute function announce_run_of_items()`);
    this.addSql(`
      create function announce_run_of_migration() returns trigger language plpgsql as $$
        begin perform announce('run', coalesce(new.evacuation_id, new.balance_run_id)); return null; end
      $$`);
    this.addSql(`
      create trigger migration_changes_run after update on migration for each row
        when (coalesce(new.evacuation_id, new.balance_run_id) is not null and old.* is distinct from new.*)
        execute function announce_run_of_migration()`);
    this.addSql(`
      create function announce_run_of_job() returns trigger language plpgsql as $$
        begin
          perform announce('run', coalesce(evacuation_id, balance_run_id)) from migration
          where job_id = new.id and coalesce(evacuation_id, balance_run_id) is not null;
          return null;
        end
      $$`);
    this.addSql(`
      create trigger migration_job_advances_run after update on job for each row
        when (new.kind = 'migration' and (old.step, old.progress) is distinct from (new.step, new.progress))
        execute function announce_run_of_job()`);
  }

  override down(): void {
    this.addSql(
      `drop function run_follows_job, announce_run, announce_run_of_items, announce_run_of_migration, announce_run_of_job cascade`,
    );
    this.addSql(`drop table run_item, run`);
  }
}
