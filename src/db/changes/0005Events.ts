// Schema change 5: the database itself says what changed, so that no writer can forget to.
import { Migration } from "@mikro-orm/migrations";

/** Above this many rows a statement announces the host ('guests'), not each guest: a first sync must not flood listeners. */
const MANY_ROWS = 200;

export class Change0005Events extends Migration {
  override up(): void {
    this.addSql(`
      create function announce(topic text, id integer) returns void language sql as $$
        select pg_notify('drover', json_build_object('topic', topic, 'id', id)::text)
      $$`);

    this.addSql(`
      create function announce_job() returns trigger language plpgsql as $$
        begin perform announce('job', new.id); return null; end
      $$`);
    // Beats of a lease are no news.
    this.addSql(`create trigger job_made after insert on job for each row execute function announce_job()`);
    this.addSql(`
      create trigger job_changed after update on job for each row
        when ((old.status, old.progress, old.step, old.error, old.upids) is distinct from
              (new.status, new.progress, new.step, new.error, new.upids))
        execute function announce_job()`);

    this.addSql(`
      create function announce_guests() returns trigger language plpgsql as $$
        begin
          if (select count(*) from changed) > ${MANY_ROWS} then
            perform announce('guests', host_id) from (select distinct host_id from changed) as hosts;
          else
            perform announce('guest', id) from changed;
          end if;
          return null;
        end
      $$`);
    for (const event of ["insert", "update"]) {
      this.addSql(`
        create trigger guest_${event}ed after ${event} on guest referencing new table as changed
          for each statement execute function announce_guests()`);
    }

    this.addSql(`
      create function announce_access() returns trigger language plpgsql as $$
        begin perform pg_notify('drover', json_build_object('topic', 'access', 'id', 0)::text); return null; end
      $$`);
    // Not on last_used_*: those are written at every call.
    this.addSql(`
      create trigger api_token_changed
        after update of allowed_ips, rate_limit, connection_scope, permissions, expires_at, revoked_at or delete on api_token
        for each statement execute function announce_access()`);
    for (const table of ["session", "user_account"]) {
      this.addSql(`
        create trigger ${table}_gone after delete on ${table} for each statement execute function announce_access()`);
    }
    this.addSql(`
      create trigger agent_token_changed after update of token_hash or delete on agent
        for each statement execute function announce_access()`);
    this.addSql(`
      create trigger user_role_changed after update of role, password_hash on user_account
        for each statement execute function announce_access()`);

    this.addSql(`
      create function announce_host() returns trigger language plpgsql as $$
        begin perform announce('host', coalesce(new.id, old.id)); return null; end
      $$`);
    this.addSql(`
      create trigger host_connection_changed
        after insert or delete or update of hostname, port, user_name, token_id, secret_encrypted, tls_fingerprint, active on host
        for each row execute function announce_host()`);
  }

  override down(): void {
    this.addSql(`drop function announce_host, announce_access, announce_guests, announce_job cascade`);
    this.addSql(`drop function announce`);
  }
}
