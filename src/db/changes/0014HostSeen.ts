// Schema change 14: what is known of a host, and its maintenance, is announced when it changes.
import { Migration } from "@mikro-orm/migrations";

export class Change0014HostSeen extends Migration {
  override up(): void {
    this.addSql(`
      create function announce_host_seen() returns trigger language plpgsql as $$
        begin perform announce('hostSeen', coalesce(new.id, old.id)); return null; end
      $$`);
    this.addSql(`
      create trigger host_seen
        after insert or delete or update of name, last_sync_at, last_sync_error, maintenance, active on host
        for each row execute function announce_host_seen()`);
  }

  override down(): void {
    this.addSql(`drop function announce_host_seen cascade`);
  }
}
