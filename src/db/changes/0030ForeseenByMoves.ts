// Schema change 30: a move keeps what its plan warned of when it started.
import { Migration } from "@mikro-orm/migrations";

export class Change0030ForeseenByMoves extends Migration {
  override up(): void {
    this.addSql(`alter table migration add column foreseen text[] not null default '{}'`);
  }

  override down(): void {
    this.addSql(`alter table migration drop column foreseen`);
  }
}
