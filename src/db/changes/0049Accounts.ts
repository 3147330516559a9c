// Schema change 49: accounts can be disabled, and each session has an id, a source and a last use.
import { Migration } from "@mikro-orm/migrations";

export class Change0049Accounts extends Migration {
  override up(): void {
    this.addSql(`alter table user_account add column enabled boolean not null default true`);
    this.addSql(`create index user_account_external_id on user_account (external_id)`);
    this.addSql(`
      create trigger user_enabled_changed after update of enabled on user_account
        for each statement execute function announce_access()`);
    // Sessions of earlier releases go on; of these nothing is known but when they were opened.
    this.addSql(`
      alter table session
        drop constraint session_pkey,
        add unique (token_hash),
        add column id integer generated always as identity primary key,
        add column last_used_at timestamptz,
        add column source_ip text,
        add column user_agent text,
        add column kind text not null default 'bearer' check (kind in ('bearer', 'cookie'))`);
    // Not when they are used: that is every two seconds.
    for (const [event, rows] of [
      ["insert", "new"],
      ["delete", "old"],
    ] as const)
      this.addSql(`
        create trigger session_announces_${event} after ${event} on session
          referencing ${rows} table as changed for each statement execute function announce_any('user')`);
  }

  override down(): void {
    this.addSql(`
      alter table session drop constraint session_token_hash_key,
        drop column id, add primary key (token_hash), drop column last_used_at, drop column source_ip, drop column user_agent, drop column kind`);
    this.addSql(`drop trigger user_enabled_changed on user_account`);
    for (const event of ["insert", "delete"]) this.addSql(`drop trigger session_announces_${event} on session`);
    this.addSql(`drop index user_account_external_id`);
    this.addSql(`alter table user_account drop column enabled`);
  }
}
