// Schema change 35: which standing work a worker does beside its queues; null: a process of an earlier release, which does not say.
import { Migration } from "@mikro-orm/migrations";

export class Change0035Duties extends Migration {
  override up(): void {
    this.addSql(`alter table worker add column duties text[]`);
  }

  override down(): void {
    this.addSql(`alter table worker drop column duties`);
  }
}
