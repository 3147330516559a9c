// Schema change 48: the journal of a job has the undo of each step, and each change of it is announced.
import { Migration } from "@mikro-orm/migrations";

export class Change0048UndoneSteps extends Migration {
  override up(): void {
    this.addSql(`
      alter table job_step
        add column undo_status text check (undo_status in ('running', 'done', 'kept', 'failed')),
        add column undo_error text check ((undo_error is not null) = (undo_status is not distinct from 'failed')),
        add column undo_started_at timestamptz check ((undo_started_at is null) = (undo_status is null)),
        add column undo_finished_at timestamptz
          check ((undo_finished_at is null) = (undo_status is null or undo_status = 'running'))`);
    this.addSql(`
      create function announce_undo() returns trigger language plpgsql as $$
        begin
          perform announce('job', new.job_id);
          perform announce('migration', id) from migration where job_id = new.job_id;
          return null;
        end
      $$`);
    this.addSql(`
      create trigger job_step_undone after update on job_step for each row
        when (old.undo_status is distinct from new.undo_status) execute function announce_undo()`);
  }

  override down(): void {
    this.addSql(`drop function announce_undo cascade`);
    this.addSql(`
      alter table job_step
        drop column undo_status, drop column undo_error, drop column undo_started_at, drop column undo_finished_at`);
  }
}
