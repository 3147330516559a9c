// Schema change 51: how long sessions last, and how long they may stay unused, are settings.
import { Migration } from "@mikro-orm/migrations";

export class Change0051SessionLife extends Migration {
  override up(): void {
    this.addSql(`
      alter table setting
        add column session_hours integer not null default 12 check (session_hours between 1 and 720),
        add column remembered_session_days integer not null default 30 check (remembered_session_days between 1 and 365),
        add column session_idle_minutes integer check (session_idle_minutes between 5 and 43200)`);
    this.addSql(`create index session_last_use on session (coalesce(last_used_at, created_at))`);
    // When a session ends unless it is used before. A use is stored some seconds late, and counts from when it was.
    this.addSql(`
      create function session_end(session) returns timestamptz language sql stable as $$
        select least($1.expires_at, coalesce($1.last_used_at, $1.created_at)
          + (select session_idle_minutes from setting) * interval '1 minute' + interval '10 seconds')
      $$`);
  }

  override down(): void {
    this.addSql(`drop function session_end(session)`);
    this.addSql(`drop index session_last_use`);
    this.addSql(`
      alter table setting
        drop column session_hours, drop column remembered_session_days, drop column session_idle_minutes`);
  }
}
