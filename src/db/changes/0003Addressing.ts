// Schema change 3: which address and which public port belongs to whom.
import { Migration } from "@mikro-orm/migrations";

export class Change0003Addressing extends Migration {
  override up(): void {
    this.addSql(`
      create table ip_zone (
        id integer generated always as identity primary key,
        host_id integer not null references host (id) on delete cascade,
        name text not null check (name <> ''),
        cidr cidr not null,
        range_start inet not null,
        range_end inet not null,
        gateway inet,
        bridge text not null,
        vlan integer check (vlan between 1 and 4094),
        nameservers text[] not null default '{}',
        total numeric not null check (total >= 0),
        used bigint not null default 0 check (used >= 0),
        next_candidate inet not null,
        created_at timestamptz not null default now(),
        unique (host_id, name),
        check (range_start <<= cidr and range_end <<= cidr and range_start <= range_end),
        check (gateway is null or family(gateway) = family(cidr))
      )`);

    // Never handed out: the gateway, network and broadcast address, and what the operator excluded.
    this.addSql(`
      create table ip_zone_exclusion (
        zone_id integer not null references ip_zone (id) on delete cascade,
        first_address inet not null,
        last_address inet not null,
        primary key (zone_id, first_address),
        check (first_address <= last_address)
      )`);

    this.addSql(`
      create table ip_address (
        id bigint generated always as identity primary key,
        zone_id integer not null references ip_zone (id) on delete cascade,
        address inet not null,
        guest_id integer references guest (id) on delete set null,
        job_id integer,
        since timestamptz not null default now(),
        unique (zone_id, address)
      )`);
    this.addSql(`create index ip_address_guest on ip_address (guest_id)`);
    // Below next_candidate every address is taken or excluded: that keeps the search for a free one short in a /16 and a /64 alike.
    this.addSql(`
      create function address_taken() returns trigger language plpgsql as $$
        begin
          update ip_zone set used = used + 1 where id = new.zone_id;
          return null;
        end
      $$`);
    this.addSql(`
      create function address_returned() returns trigger language plpgsql as $$
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
    this.addSql(`create index ip_address_job on ip_address (job_id) where job_id is not null`);

    this.addSql(`
      create table port_forward (
        id integer generated always as identity primary key,
        node_id integer not null references node (id) on delete cascade,
        guest_id integer not null references guest (id) on delete cascade,
        protocol text not null check (protocol in ('tcp', 'udp')),
        public_port integer not null check (public_port between 1 and 65535),
        guest_port integer not null check (guest_port between 1 and 65535),
        guest_address inet not null,
        created_at timestamptz not null default now(),
        unique (node_id, protocol, public_port)
      )`);
    this.addSql(`create index port_forward_guest on port_forward (guest_id)`);
  }

  override down(): void {
    this.addSql(`drop table port_forward, ip_address, ip_zone_exclusion, ip_zone`);
    this.addSql(`drop function address_taken, address_returned`);
  }
}
