// Schema change 37: the job queue schedules periodic tasks; the database records only when each last ran, and how.
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
    this.addSql(`drop table schedule`);
  }

  override down(): void {
    this.addSql(`
      create table schedule (
        name text primary key,
        due_at timestamptz not null default now(),
        last_started_at timestamptz,
        last_finished_at timestamptz,
        last_error text
      )`);
    this.addSql(`drop table task_run`);
  }
}
