// Schema change 33: the operator may let the moves to a host use temporary tokens with all rights of the host's connection.
import { Migration } from "@mikro-orm/migrations";

const ANNOUNCED = ["name", "last_sync_at", "last_sync_error", "maintenance", "active"];

const announceChangesOf = (columns: readonly string[]): string => `
  create or replace trigger host_seen
    after insert or delete or update of ${columns.join(", ")} on host
    for each row execute function announce_host_seen()`;

export class Change0033UnrestrictedTokens extends Migration {
  override up(): void {
    this.addSql(`alter table host add column allow_unrestricted_move_token boolean not null default false`);
    this.addSql(announceChangesOf([...ANNOUNCED, "allow_unrestricted_move_token"]));
  }

  override down(): void {
    this.addSql(announceChangesOf(ANNOUNCED));
    this.addSql(`alter table host drop column allow_unrestricted_move_token`);
  }
}
