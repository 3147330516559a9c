// Schema change 13: which workers were seen, and on which queues; and the moves of a guest.
import { Migration } from "@mikro-orm/migrations";

export class Change0013Workers extends Migration {
  override up(): void {
    this.addSql(`
      create table worker (
        name text primary key,
        queues text[] not null,
        seen_at timestamptz not null default now()
      )`);
    this.addSql(`create index migration_guest on migration (guest_id, id)`);
  }

  override down(): void {
    this.addSql(`drop index migration_guest`);
    this.addSql(`drop table worker`);
  }
}
