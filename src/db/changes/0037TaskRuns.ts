// Schema change 37: the job queue schedules periodic tasks; the database records only when each last ran, and how. Processes of the
// previous release still use the table `schedule`.
import { Migration } from "@mikro-orm/migrations";

export class Change0037TaskRuns extends Migration {
  override up(): void {
    this.addSql(`
      create table task_run (
        name text primary key,
        started_at timestamptz not null,
        finished_at timestamptz,
        error text
      )`);
    this.addSql(`
      insert into task_run (name, started_at, finished_at, error)
      select name, coalesce(last_started_at, due_at), last_finished_at, last_error from schedule`);
  }

  override down(): void {
    this.addSql(`drop table task_run`);
  }
}
