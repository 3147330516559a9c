// Schema change 43: how long jobs wait for locks of the platform, and which of them clone which template.
import { Migration } from "@mikro-orm/migrations";

export class Change0043PlatformLocks extends Migration {
  override up(): void {
    this.addSql(`
      alter table setting add column lock_wait_seconds integer not null default 300 check (lock_wait_seconds between 0 and 3600),
        add column clones_per_template integer not null default 8 check (clones_per_template between 1 and 1000)`);
    this.addSql(`
      create table clone_turn (
        job_id integer primary key references job (id) on delete cascade,
        host_id integer not null references host (id) on delete cascade,
        vmid integer not null check (vmid between 100 and 999999999),
        has_begun boolean not null default false
      )`);
    this.addSql(`create index clone_turn_template on clone_turn (host_id, vmid)`);
    this.addSql(`
      create function announce_clone_turn() returns trigger language plpgsql as $$
        begin perform announce('cloneTurn', old.host_id); return null; end
      $$`);
    this.addSql(`
      create trigger clone_turn_ended after delete on clone_turn for each row execute function announce_clone_turn()`);
  }

  override down(): void {
    this.addSql(`drop table clone_turn`);
    this.addSql(`drop function announce_clone_turn`);
    this.addSql(`alter table setting drop column clones_per_template, drop column lock_wait_seconds`);
  }
}
