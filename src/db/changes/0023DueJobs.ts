// Schema change 23: each queue finds the jobs that are due in their order, however many wait in it or in another.
import { Migration } from "@mikro-orm/migrations";

const QUEUES = {
  job_due: "'guest_create', 'guest_reinstall', 'guest_delete', 'safety_copy_delete'",
  job_due_migrations: "'migration'",
  job_due_runs: "'evacuation', 'balance_run'",
} as const;

export class Change0023DueJobs extends Migration {
  override up(): void {
    for (const [index, kinds] of Object.entries(QUEUES)) {
      this.addSql(`create index ${index} on job (id) where kind in (${kinds}) and status in ('queued', 'running')`);
    }
    // Without it a beat of a lease touches no index.
    this.addSql(`drop index job_unfinished`);
  }

  override down(): void {
    this.addSql(`create index job_unfinished on job (status, lease_until) where status in ('queued', 'running')`);
    this.addSql(`drop index ${Object.keys(QUEUES).join(", ")}`);
  }
}
