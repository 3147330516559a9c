// Schema change 46: what a host has said when it refused the temporary token of a move.
import { Migration } from "@mikro-orm/migrations";

export class Change0046TokenRefusals extends Migration {
  override up(): void {
    // `token_id` is no foreign key: the order of the requests counts, also when the ledger no longer has the token.
    this.addSql(`
      create table token_refusal (
        host_id integer primary key references host (id) on delete cascade,
        token_id integer not null,
        words text check (length(words) between 1 and 300),
        refused_at timestamptz,
        check ((words is null) = (refused_at is null))
      )`);
  }

  override down(): void {
    this.addSql(`drop table token_refusal`);
  }
}
