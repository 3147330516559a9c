// Schema change 11: who held which address of a zone, from when to when.
import { Migration } from "@mikro-orm/migrations";

/** What is put on record of a holder: the guest with its owner, or for as long as there is none the job that reserved. */
const HOLDER = `h.id, a.zone_id, z.name, a.address, a.job_id, g.id, g.vmid, g.name, u.id, u.username`;

const HOLDER_COLUMNS = `host_id, zone_id, zone_name, address, job_id, guest_id, vmid, guest_name, owner_id, owner_name`;

const RECORDS = `join ip_zone z on z.id = a.zone_id join host h on h.id = z.host_id
  left join guest g on g.id = a.guest_id left join user_account u on u.id = g.owner_id`;

export class Change0011AddressHistory extends Migration {
  override up(): void {
    // History outlives zones, guests and people: their ids and names are kept without being tied to their rows.
    this.addSql(`
      create table ip_address_holding (
        id bigint generated always as identity primary key,
        host_id integer not null,
        zone_id integer not null,
        zone_name text not null,
        address inet not null,
        job_id integer,
        guest_id integer,
        vmid integer,
        guest_name text,
        owner_id integer,
        owner_name text,
        since timestamptz not null default now(),
        until timestamptz,
        check (until is null or until > since),
        check ((guest_id is null) = (vmid is null)),
        check ((owner_id is null) = (owner_name is null))
      )`);
    this.addSql(
      `create unique index ip_address_holding_now on ip_address_holding (zone_id, address) where until is null`,
    );
    this.addSql(`create index ip_address_holding_address on ip_address_holding (zone_id, address, since desc)`);
    this.addSql(`create index ip_address_holding_text on ip_address_holding (address, since desc)`);
    this.addSql(`create index ip_address_holding_guest on ip_address_holding (guest_id)`);
    this.addSql(`create index ip_address_holding_owner on ip_address_holding (owner_id) where owner_id is not null`);

    // A period without length, as of what is reserved and given back in one transaction, is none.
    this.addSql(`
      create function end_holding(of_zone integer, of_address inet) returns void language sql as $$
        delete from ip_address_holding where zone_id = of_zone and address = of_address and until is null and since >= now();
        update ip_address_holding set until = now() where zone_id = of_zone and address = of_address and until is null;
      $$`);
    this.addSql(`
      create function begin_holding(of_address bigint) returns void language sql as $$
        insert into ip_address_holding (${HOLDER_COLUMNS})
        select ${HOLDER} from ip_address a ${RECORDS} where a.id = of_address;
      $$`);
    this.addSql(`
      create function address_changes_hands() returns trigger language plpgsql as $$
        begin
          if tg_op = 'UPDATE' and old.guest_id is null then
            update ip_address_holding held
            set guest_id = g.id, vmid = g.vmid, guest_name = g.name, owner_id = u.id, owner_name = u.username
            from guest g left join user_account u on u.id = g.owner_id
            where g.id = new.guest_id and held.zone_id = new.zone_id and held.address = new.address and held.until is null;
            return null;
          end if;
          if tg_op <> 'INSERT' then perform end_holding(old.zone_id, old.address); end if;
          if tg_op <> 'DELETE' then perform begin_holding(new.id); end if;
          return null;
        end
      $$`);
    this.addSql(`
      create trigger address_held after insert or delete on ip_address
        for each row execute function address_changes_hands()`);
    this.addSql(`
      create trigger address_passed_on after update of guest_id on ip_address for each row
        when (old.guest_id is distinct from new.guest_id) execute function address_changes_hands()`);

    // Who owns the guest holds its addresses.
    this.addSql(`
      create function addresses_follow_owner() returns trigger language plpgsql as $$
        begin
          perform end_holding(zone_id, address), begin_holding(id) from ip_address where guest_id = new.id;
          return null;
        end
      $$`);
    this.addSql(`
      create trigger guest_changes_owner after update of owner_id on guest for each row
        when (old.owner_id is distinct from new.owner_id) execute function addresses_follow_owner()`);

    this.addSql(`
      insert into ip_address_holding (${HOLDER_COLUMNS}, since)
      select ${HOLDER}, a.since from ip_address a ${RECORDS}`);
  }

  override down(): void {
    this.addSql(`drop function addresses_follow_owner, address_changes_hands cascade`);
    this.addSql(`drop function begin_holding, end_holding`);
    this.addSql(`drop table ip_address_holding`);
  }
}
