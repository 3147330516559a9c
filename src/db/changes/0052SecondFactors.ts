// Schema change 52: second factors of people: keys of one-time codes, and recovery codes.
import { Migration } from "@mikro-orm/migrations";

export class Change0052SecondFactors extends Migration {
  override up(): void {
    // A confirmed key has the newest step whose code was used; beside it, another may have begun that counts for nothing yet.
    this.addSql(`
      create table totp (
        id integer generated always as identity primary key,
        user_id integer not null references user_account (id) on delete cascade,
        secret_encrypted text not null,
        last_step bigint
      )`);
    this.addSql(`create unique index totp_confirmed on totp (user_id) where last_step is not null`);
    this.addSql(`create unique index totp_begun on totp (user_id) where last_step is null`);
    this.addSql(`
      create table recovery_code (
        user_id integer references user_account (id) on delete cascade,
        code_hash text,
        primary key (user_id, code_hash)
      )`);
    // What a session may do depends on them where a role must have one.
    this.addSql(`
      create function announce_second_factor() returns trigger language plpgsql as $$
        begin
          perform announce('access', 0);
          perform announce('user', 0);
          return null;
        end
      $$`);
    this.addSql(`
      create trigger totp_confirmed after update of last_step on totp
        for each row when (old.last_step is null) execute function announce_second_factor()`);
    this.addSql(`
      create trigger totp_removed after delete on totp
        for each row when (old.last_step is not null) execute function announce_second_factor()`);
    this.addSql(`
      alter table setting add column second_factor_roles text[] not null default '{}'
        check (second_factor_roles <@ array['admin', 'operator', 'reseller', 'customer'])`);
    this.addSql(`
      create trigger second_factor_roles_changed after update of second_factor_roles on setting
        for each statement execute function announce_access()`);
    this.addSql(`
      alter table sign_in drop constraint sign_in_outcome_check,
        add constraint sign_in_outcome_check
          check (outcome in ('signed_in', 'wrong_password', 'account_disabled', 'wrong_code'))`);
  }

  override down(): void {
    this.addSql(`delete from sign_in where outcome = 'wrong_code'`);
    this.addSql(`
      alter table sign_in drop constraint sign_in_outcome_check,
        add constraint sign_in_outcome_check check (outcome in ('signed_in', 'wrong_password', 'account_disabled'))`);
    this.addSql(`drop trigger second_factor_roles_changed on setting`);
    this.addSql(`alter table setting drop column second_factor_roles`);
    this.addSql(`drop table recovery_code, totp`);
    this.addSql(`drop function announce_second_factor`);
  }
}
