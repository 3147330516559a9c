// Schema change 4: long work: jobs, the journal of their steps, what they hold exclusively, and the settings that govern it.
import { Migration } from "@mikro-orm/migrations";

const JOB_KINDS = [
  "guest_create",
  "guest_reinstall",
  "guest_delete",
  "migration",
  "evacuation",
  "balance_run",
  "safety_copy_delete",
];

export class Change0004Jobs extends Migration {
  override up(): void {
    this.addSql(`
      create table job (
        id integer generated always as identity primary key,
        kind text not null check (kind in (${JOB_KINDS.map((kind) => `'${kind}'`).join(", ")})),
        status text not null default 'queued' check (status in ('queued', 'running', 'done', 'failed')),
        error text,
        host_id integer references host (id) on delete set null,
        node text,
        vmid integer,
        guest_id integer references guest (id) on delete set null,
        progress real check (progress between 0 and 1),
        step text,
        upids text[] not null default '{}',
        input jsonb not null default '{}',
        secrets_encrypted text,
        facts jsonb not null default '{}',
        created_by_user integer references user_account (id) on delete set null,
        created_by_token integer references api_token (id) on delete set null,
        attempts integer not null default 0,
        lease_epoch integer not null default 0,
        lease_until timestamptz,
        worker text,
        created_at timestamptz not null default now(),
        started_at timestamptz,
        finished_at timestamptz,
        check ((status = 'failed') = (error is not null)),
        check ((status in ('done', 'failed')) = (finished_at is not null)),
        check (status in ('queued', 'running') or secrets_encrypted is null)
      )`);
    this.addSql(`create index job_unfinished on job (status, lease_until) where status in ('queued', 'running')`);
    this.addSql(`create index job_host on job (host_id, id desc)`);
    this.addSql(`create index job_guest on job (guest_id)`);

    this.addSql(`
      create table job_step (
        job_id integer not null references job (id) on delete cascade,
        name text not null,
        position integer not null,
        status text not null check (status in ('running', 'done', 'warned', 'failed')),
        output jsonb not null default '{}',
        error text,
        started_at timestamptz not null default now(),
        finished_at timestamptz,
        primary key (job_id, name)
      )`);

    // One owner a key: 'guest:<host id>:<vmid>'. Taken with the job, freed with its end.
    this.addSql(`
      create table resource_lock (
        key text primary key,
        job_id integer not null references job (id) on delete cascade,
        since timestamptz not null default now()
      )`);
    this.addSql(`create index resource_lock_job on resource_lock (job_id)`);

    this.addSql(`
      create table vmid_reservation (
        host_id integer not null references host (id) on delete cascade,
        vmid integer not null check (vmid between 100 and 999999999),
        job_id integer not null references job (id) on delete cascade,
        primary key (host_id, vmid)
      )`);
    this.addSql(`create index vmid_reservation_job on vmid_reservation (job_id)`);

    this.addSql(`
      create table capacity_reservation (
        job_id integer primary key references job (id) on delete cascade,
        node_id integer not null references node (id) on delete cascade,
        storage text not null,
        memory_mb integer not null check (memory_mb >= 0),
        disk_bytes bigint not null check (disk_bytes >= 0)
      )`);
    this.addSql(`create index capacity_reservation_node on capacity_reservation (node_id)`);

    this.addSql(`alter table ip_address add foreign key (job_id) references job (id) on delete set null`);

    this.addSql(`
      create table schedule (
        name text primary key,
        due_at timestamptz not null default now(),
        last_started_at timestamptz,
        last_finished_at timestamptz,
        last_error text
      )`);

    this.addSql(`
      create table setting (
        one_row boolean primary key default true check (one_row),
        ram_weight double precision not null default 0.5 check (ram_weight >= 0),
        cpu_weight double precision not null default 0.3 check (cpu_weight >= 0),
        storage_weight double precision not null default 0.2 check (storage_weight >= 0),
        ram_threshold_percent double precision not null default 80 check (ram_threshold_percent > 0 and ram_threshold_percent <= 100),
        cpu_threshold_percent double precision not null default 85 check (cpu_threshold_percent > 0 and cpu_threshold_percent <= 100),
        max_suggestions integer not null default 10 check (max_suggestions > 0),
        safety_copy_retention_days integer not null default 7 check (safety_copy_retention_days >= 0),
        request_log_retention_days integer not null default 30 check (request_log_retention_days > 0),
        migration_bandwidth_mib integer check (migration_bandwidth_mib > 0),
        check (ram_weight + cpu_weight + storage_weight > 0)
      )`);
    this.addSql(`insert into setting default values`);
  }

  override down(): void {
    this.addSql(`alter table ip_address drop constraint ip_address_job_id_fkey`);
    this.addSql(`drop table setting, schedule, capacity_reservation, vmid_reservation, resource_lock, job_step, job`);
  }
}
