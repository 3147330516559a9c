// Schema change 1: who may come in: users, sessions, API tokens, and the log of what they called.
import { Migration } from "@mikro-orm/migrations";

export class Change0001Access extends Migration {
  override up(): void {
    this.addSql(`
      create table user_account (
        id integer generated always as identity primary key,
        email text not null,
        username text not null,
        external_id text,
        role text not null default 'customer' check (role in ('admin', 'operator', 'reseller', 'customer')),
        password_hash text not null,
        created_by integer references user_account (id) on delete set null,
        created_at timestamptz not null default now()
      )`);
    this.addSql(`create unique index user_account_email on user_account (lower(email))`);
    this.addSql(`create unique index user_account_username on user_account (lower(username))`);
    this.addSql(`create index user_account_created_by on user_account (created_by)`);

    this.addSql(`
      create table ssh_key (
        id integer generated always as identity primary key,
        user_id integer not null references user_account (id) on delete cascade,
        name text not null,
        public_key text not null,
        fingerprint text not null,
        created_at timestamptz not null default now(),
        unique (user_id, fingerprint)
      )`);

    this.addSql(`
      create table session (
        token_hash text primary key,
        user_id integer not null references user_account (id) on delete cascade,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null
      )`);
    this.addSql(`create index session_user_id on session (user_id)`);
    this.addSql(`create index session_expires_at on session (expires_at)`);

    this.addSql(`
      create table api_token (
        id integer generated always as identity primary key,
        name text not null check (name <> ''),
        prefix text not null,
        token_hash text not null unique,
        allowed_ips text,
        rate_limit integer check (rate_limit >= 0),
        connection_scope integer[] not null default '{}',
        permissions text[] not null default '{}',
        created_at timestamptz not null default now(),
        expires_at timestamptz,
        revoked_at timestamptz,
        last_used_at timestamptz,
        last_used_ip text
      )`);

    // Counters of one clock minute; losing them in a crash of the database costs a client nothing.
    this.addSql(`
      create unlogged table rate_window (
        key text not null,
        window_start timestamptz not null,
        used integer not null,
        primary key (key, window_start)
      )`);
    this.addSql(`create index rate_window_start on rate_window (window_start)`);

    this.addSql(`
      create table request_log (
        id bigint generated always as identity,
        at timestamptz not null,
        token_id integer,
        token_name text,
        source_ip text not null,
        method text not null,
        path text not null,
        status smallint not null,
        duration_ms real not null,
        primary key (id, at)
      ) partition by range (at)`);
    this.addSql(`create table request_log_rest partition of request_log default`);
    this.addSql(`create index request_log_at on request_log (at desc, id desc)`);
    this.addSql(`create index request_log_token on request_log (token_id, at desc)`);
  }

  override down(): void {
    this.addSql(`drop table request_log, rate_window, api_token, session, ssh_key, user_account`);
  }
}
