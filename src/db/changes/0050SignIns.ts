// Schema change 50: who signed in, or tried to, from where.
import { Migration } from "@mikro-orm/migrations";

export class Change0050SignIns extends Migration {
  override up(): void {
    this.addSql(`
      create table sign_in (
        id bigint generated always as identity primary key,
        user_id integer not null references user_account (id) on delete cascade,
        at timestamptz not null default service_now(),
        source_ip text not null,
        user_agent text,
        outcome text not null check (outcome in ('signed_in', 'wrong_password', 'account_disabled')),
        new_address boolean not null default false
      )`);
    this.addSql(`create index sign_in_user on sign_in (user_id, id)`);
    this.addSql(`create index sign_in_at on sign_in (at)`);
    // From where an account has signed in, which decides whom others' wrong passwords keep out.
    this.addSql(`
      create table known_address (
        user_id integer references user_account (id) on delete cascade,
        network text,
        last_at timestamptz not null,
        primary key (user_id, network)
      )`);
    this.addSql(`create index known_address_last_at on known_address (last_at)`);
    this.addSql(`
      create trigger sign_in_announces_insert after insert on sign_in
        referencing new table as changed for each statement execute function announce_any('user')`);
  }

  override down(): void {
    this.addSql(`drop table known_address, sign_in`);
  }
}
