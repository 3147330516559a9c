// Schema change 21: which token made a token is on record, and whatever it made is revoked with it, whoever revokes.
import { Migration } from "@mikro-orm/migrations";

export class Change0021TokenDescent extends Migration {
  override up(): void {
    this.addSql(`alter table api_token add made_by integer references api_token (id) on delete cascade`);
    this.addSql(`create index api_token_made_by on api_token (made_by)`);

    // From the top down, each level with a snapshot of its own: who makes a token holds its maker's row until that is committed,
    // so that the level below is read after it.
    this.addSql(`
      create function revoke_descendants() returns trigger language plpgsql as $$
        begin
          update api_token set revoked_at = new.revoked_at where made_by = new.id and revoked_at is null;
          return null;
        end
      $$`);
    this.addSql(`
      create trigger api_token_revoked after update of revoked_at on api_token for each row
        when (old.revoked_at is null and new.revoked_at is not null) execute function revoke_descendants()`);
  }

  override down(): void {
    this.addSql(`drop function revoke_descendants cascade`);
    this.addSql(`alter table api_token drop column made_by`);
  }
}
