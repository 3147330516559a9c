// Schema change 2: what is there: hosts, their nodes, agents, storages, networks, files, guests, and the catalogue to create from.
import { Migration } from "@mikro-orm/migrations";

export class Change0002Inventory extends Migration {
  override up(): void {
    this.addSql(`
      create table host (
        id integer generated always as identity primary key,
        name text not null unique check (name <> ''),
        hostname text not null check (hostname <> ''),
        port integer not null default 8006 check (port between 1 and 65535),
        user_name text not null,
        token_id text,
        secret_encrypted text not null,
        tls_fingerprint text,
        active boolean not null default true,
        kind text not null default 'standalone' check (kind in ('standalone', 'cluster')),
        cluster_name text,
        version text,
        maintenance boolean not null default false,
        maintenance_since timestamptz,
        last_sync_at timestamptz,
        last_sync_error text,
        last_attempt_at timestamptz,
        created_at timestamptz not null default now(),
        unique (hostname, port),
        check (maintenance = (maintenance_since is not null))
      )`);

    this.addSql(`
      create table node (
        id integer generated always as identity primary key,
        host_id integer not null references host (id) on delete cascade,
        name text not null,
        status text not null default 'unknown' check (status in ('online', 'offline', 'unknown')),
        version text,
        started_at timestamptz,
        cpu_cores integer not null default 0,
        cpu_usage double precision not null default 0,
        cpu_average_30m double precision,
        memory_mb integer not null default 0,
        memory_used_mb integer not null default 0,
        sampled_at timestamptz,
        details_read_at timestamptz,
        created_at timestamptz not null default now(),
        unique (host_id, name),
        unique (host_id, id)
      )`);

    this.addSql(`
      create table node_sample (
        node_id integer not null references node (id) on delete cascade,
        at timestamptz not null,
        cpu_usage real not null,
        memory_used_mb integer not null,
        primary key (node_id, at)
      )`);

    this.addSql(`
      create table agent (
        node_id integer primary key references node (id) on delete cascade,
        token_hash text not null unique,
        version text,
        healthy boolean not null default false,
        problems text[] not null default '{}',
        nat_configured boolean not null default false,
        public_address text,
        last_seen_at timestamptz
      )`);

    this.addSql(`
      create table storage (
        id integer generated always as identity primary key,
        node_id integer not null references node (id) on delete cascade,
        name text not null,
        type text not null,
        content text[] not null default '{}',
        shared boolean not null default false,
        active boolean not null default false,
        total_bytes bigint not null default 0,
        used_bytes bigint not null default 0,
        free_bytes bigint not null default 0,
        unique (node_id, name)
      )`);

    this.addSql(`
      create table network (
        id integer generated always as identity primary key,
        node_id integer not null references node (id) on delete cascade,
        name text not null,
        type text not null,
        active boolean not null default false,
        cidr text,
        unique (node_id, name)
      )`);

    this.addSql(`
      create table node_file (
        id integer generated always as identity primary key,
        node_id integer not null references node (id) on delete cascade,
        storage text not null,
        volid text not null,
        content text not null check (content in ('vztmpl', 'iso')),
        size_bytes bigint not null default 0,
        unique (node_id, volid)
      )`);

    this.addSql(`
      create table plan (
        id integer generated always as identity primary key,
        name text not null unique check (name <> ''),
        cores integer not null check (cores > 0),
        memory_mb integer not null check (memory_mb > 0),
        disk_gb integer not null check (disk_gb > 0),
        traffic_gb integer check (traffic_gb > 0),
        runtime_days integer check (runtime_days > 0),
        active boolean not null default true,
        created_at timestamptz not null default now()
      )`);

    this.addSql(`
      create table guest (
        id integer generated always as identity primary key,
        host_id integer not null references host (id) on delete cascade,
        node_id integer not null,
        type text not null check (type in ('qemu', 'lxc')),
        vmid integer not null check (vmid between 100 and 999999999),
        name text not null default '',
        status text not null default 'unknown' check (status in ('running', 'stopped', 'paused', 'suspended', 'unknown')),
        template boolean not null default false,
        lock text,
        tags text[] not null default '{}',
        cores integer not null default 0,
        memory_mb integer not null default 0,
        disk_bytes bigint not null default 0,
        cpu_usage real,
        memory_used_mb integer,
        started_at timestamptz,
        ip_addresses text[] not null default '{}',
        owner_id integer references user_account (id) on delete set null,
        plan_id integer references plan (id) on delete set null,
        safety_copy boolean not null default false,
        safety_copy_delete_at timestamptz,
        identity jsonb,
        config_read_at timestamptz,
        unseen_since timestamptz,
        gone_at timestamptz,
        created_at timestamptz not null default now(),
        foreign key (host_id, node_id) references node (host_id, id),
        check (safety_copy_delete_at is null or safety_copy)
      )`);
    this.addSql(`create unique index guest_vmid on guest (host_id, vmid) where gone_at is null`);
    this.addSql(`create index guest_node on guest (node_id) where gone_at is null`);
    this.addSql(`create index guest_owner on guest (owner_id) where gone_at is null`);
    this.addSql(
      `create index guest_safety_copy on guest (safety_copy_delete_at) where safety_copy and gone_at is null`,
    );
    this.addSql(`create index guest_tags on guest using gin (tags) where gone_at is null`);
    this.addSql(`create index guest_gone_at on guest (gone_at) where gone_at is not null`);

    this.addSql(`
      create table os_template (
        id integer generated always as identity primary key,
        host_id integer not null references host (id) on delete cascade,
        node_id integer not null,
        vmid integer not null,
        name text not null check (name <> ''),
        min_disk_bytes bigint not null default 0,
        shared boolean not null default false,
        active boolean not null default true,
        created_at timestamptz not null default now(),
        unique (host_id, vmid),
        foreign key (host_id, node_id) references node (host_id, id)
      )`);

    this.addSql(`
      create table ct_template (
        id integer generated always as identity primary key,
        name text not null check (name <> ''),
        volid text not null unique,
        active boolean not null default true,
        created_at timestamptz not null default now()
      )`);

    this.addSql(`
      create table reseller_node (
        user_id integer not null references user_account (id) on delete cascade,
        node_id integer not null references node (id) on delete cascade,
        primary key (user_id, node_id)
      )`);
    this.addSql(`create index reseller_node_node on reseller_node (node_id)`);
  }

  override down(): void {
    this.addSql(
      `drop table reseller_node, ct_template, os_template, guest, plan, node_file, network, storage, agent, node_sample, node, host`,
    );
  }
}
