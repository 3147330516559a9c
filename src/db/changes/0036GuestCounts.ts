// Schema change 36: how many guests each host has, in a few rows a host whose sum it is.
import { Migration } from "@mikro-orm/migrations";

/** Statements that add or remove whole rows count them at once. */
const BATCHES = [
  { event: "insert", rows: "new", sign: "" },
  { event: "delete", rows: "old", sign: "-" },
];

/**
 * A list of guests has their number: counting them took a third of the time of its first page. Triggers keep it here, so that what a
 * reader's snapshot shows of guests and of their number is always the same. Writers never wait for each other: each adds to a row that
 * no other transaction has changed and not yet ended, and makes one where there is none. So a host has as many rows as it ever had
 * writers at the same time.
 */
export class Change0036GuestCounts extends Migration {
  override up(): void {
    this.addSql(`
      create table guest_count (
        id integer generated always as identity primary key,
        host_id integer not null references host (id) on delete cascade,
        present integer not null
      )`);
    this.addSql(`create index guest_count_host on guest_count (host_id)`);
    // A host that is being deleted takes its rows along: none is made for it.
    this.addSql(`
      create function add_to_guest_count(of_host integer, more integer) returns void language plpgsql as $$
        declare free integer;
        begin
          select id into free from guest_count where host_id = of_host limit 1 for update skip locked;
          update guest_count set present = present + more where id = free;
          if not found then
            insert into guest_count (host_id, present) select id, more from host where id = of_host;
          end if;
        end $$`);
    for (const { event, rows, sign } of BATCHES) {
      this.addSql(`
        create function ${event}_of_guests_counts() returns trigger language plpgsql as $$
          begin
            perform add_to_guest_count(host_id, ${sign}count(*)::integer) from ${rows}_guest where gone_at is null group by host_id;
            return null;
          end $$`);
      this.addSql(`
        create trigger ${event}_of_guests_counts after ${event} on guest referencing ${rows} table as ${rows}_guest
          for each statement execute function ${event}_of_guests_counts()`);
    }
    // By row: nearly all updates change neither, and cost a comparison.
    this.addSql(`
      create function update_of_guest_counts() returns trigger language plpgsql as $$
        begin
          if old.gone_at is null then perform add_to_guest_count(old.host_id, -1); end if;
          if new.gone_at is null then perform add_to_guest_count(new.host_id, 1); end if;
          return null;
        end $$`);
    this.addSql(`
      create trigger update_of_guest_counts after update on guest for each row
        when ((old.gone_at is null) <> (new.gone_at is null) or old.host_id <> new.host_id)
        execute function update_of_guest_counts()`);
    this.addSql(`
      insert into guest_count (host_id, present) select host_id, count(*) from guest where gone_at is null group by host_id`);
  }

  override down(): void {
    const batches = BATCHES.map(({ event }) => `${event}_of_guests_counts`);
    this.addSql(`drop function update_of_guest_counts, ${batches.join(", ")} cascade`);
    this.addSql(`drop function add_to_guest_count`);
    this.addSql(`drop table guest_count`);
  }
}
