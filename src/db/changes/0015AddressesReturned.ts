// Schema change 15: addresses that came back are kept by name, so that the next free one is found in constant time.
import { Migration } from "@mikro-orm/migrations";

export class Change0015AddressesReturned extends Migration {
  override up(): void {
    // Below ip_zone.next_candidate, which only grows, every address is taken, excluded or here.
    this.addSql(`
      create table ip_zone_returned (
        zone_id integer not null references ip_zone (id) on delete cascade,
        address inet not null,
        primary key (zone_id, address)
      )`);
    this.addSql(`drop trigger address_taken on ip_address`);
    this.addSql(`drop trigger address_returned on ip_address`);
    // Once a statement: a row that is written very often in one transaction becomes slow to find.
    this.addSql(`
      create or replace function address_taken() returns trigger language plpgsql as $$
        begin
          update ip_zone z set used = z.used + t.count
          from (select zone_id, count(*) from taken group by zone_id) t where z.id = t.zone_id;
          delete from ip_zone_returned r using taken t where r.zone_id = t.zone_id and r.address = t.address;
          return null;
        end
      $$`);
    // The zone's row is locked first: who takes an address at the same time sees either both changes or none.
    this.addSql(`
      create or replace function address_returned() returns trigger language plpgsql as $$
        begin
          update ip_zone z set used = z.used - r.count
          from (select zone_id, count(*) from returned group by zone_id) r where z.id = r.zone_id;
          insert into ip_zone_returned (zone_id, address)
          select r.zone_id, r.address from returned r join ip_zone z on z.id = r.zone_id
          where r.address >= z.range_start and r.address < z.next_candidate and not exists (
            select 1 from ip_zone_exclusion x
            where x.zone_id = r.zone_id and r.address between x.first_address and x.last_address)
          on conflict do nothing;
          return null;
        end
      $$`);
    this.addSql(`
      create trigger address_taken after insert on ip_address referencing new table as taken
        for each statement execute function address_taken()`);
    this.addSql(`
      create trigger address_returned after delete on ip_address referencing old table as returned
        for each statement execute function address_returned()`);
  }

  override down(): void {
    this.addSql(`drop trigger address_taken on ip_address`);
    this.addSql(`drop trigger address_returned on ip_address`);
    this.addSql(`
      update ip_zone z set next_candidate = least(next_candidate,
        (select min(address) from ip_zone_returned r where r.zone_id = z.id))`);
    this.addSql(`drop table ip_zone_returned`);
    this.addSql(`
      create or replace function address_taken() returns trigger language plpgsql as $$
        begin
          update ip_zone set used = used + 1 where id = new.zone_id;
          return null;
        end
      $$`);
    this.addSql(`
      create or replace function address_returned() returns trigger language plpgsql as $$
        begin
          update ip_zone set used = used - 1, next_candidate = least(next_candidate, old.address) where id = old.zone_id;
          return null;
        end
      $$`);
    this.addSql(
      `create trigger address_taken after insert on ip_address for each row execute function address_taken()`,
    );
    this.addSql(
      `create trigger address_returned after delete on ip_address for each row execute function address_returned()`,
    );
  }
}
