// Schema change 28: it is announced too that a job has failed and is taken back, how far that is, and what a job waits for.
import { Migration } from "@mikro-orm/migrations";

/** What is told of a job as columns. */
const JOB = ["status", "progress", "step", "error", "upids"];
/** What is told of the move that it carries out. */
const MOVE = ["step", "progress"];
/** What is told of either as findings. */
const FINDINGS = ["failure", "undoing", "waiting"];

const told = (row: string, columns: readonly string[], findings: readonly string[]): string =>
  [...columns.map((name) => `${row}.${name}`), ...findings.map((name) => `${row}.facts->'${name}'`)].join(", ");

const isOther = (columns: readonly string[], findings: readonly string[]): string =>
  `(${told("old", columns, findings)}) is distinct from (${told("new", columns, findings)})`;

export class Change0028WaitingJobs extends Migration {
  override up(): void {
    this.#announce(FINDINGS);
  }

  override down(): void {
    this.#announce([]);
  }

  #announce(findings: readonly string[]): void {
    this.addSql(`
      create or replace trigger job_changed after update on job for each row
        when (${isOther(JOB, findings)}) execute function announce_job()`);
    this.addSql(`
      create or replace trigger migration_advanced after update on job for each row
        when (new.kind = 'migration' and ${isOther(MOVE, findings)}) execute function announce_migration_of_job()`);
  }
}
