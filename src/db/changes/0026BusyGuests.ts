// Schema change 26: a guest that a job takes or leaves has changed: what is told of it names the job.
import { Migration } from "@mikro-orm/migrations";

/** What a statement's triggers call the rows that came or went. */
const EVENTS = { insert: "new", delete: "old" } as const;

export class Change0026BusyGuests extends Migration {
  override up(): void {
    this.addSql(`
      create function announce_busy() returns trigger language plpgsql as $$
        begin
          perform announce('guest', g.id)
          from (select split_part(key, ':', 2)::integer as host_id, split_part(key, ':', 3)::integer as vmid
                from changed where job_id is not null and key like 'guest:%') held
          join guest g on g.host_id = held.host_id and g.vmid = held.vmid and g.gone_at is null;
          return null;
        end
      $$`);
    for (const [event, rows] of Object.entries(EVENTS)) {
      this.addSql(`
        create trigger resource_lock_announces_${event} after ${event} on resource_lock
          referencing ${rows} table as changed for each statement execute function announce_busy()`);
    }
  }

  override down(): void {
    this.addSql(`drop function announce_busy cascade`);
  }
}
