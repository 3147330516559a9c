// Schema change 7: what nodes' agents are asked to do.
import { Migration } from "@mikro-orm/migrations";

export class Change0007AgentJobs extends Migration {
  override up(): void {
    this.addSql(`
      create table agent_job (
        id uuid primary key default gen_random_uuid(),
        node_id integer not null references node (id) on delete cascade,
        job_id integer references job (id) on delete cascade,
        kind text not null check (kind in ('tcp_check', 'unlock_guest', 'apply_port_forwards')),
        payload jsonb not null default '{}',
        status text not null default 'waiting' check (status in ('waiting', 'done', 'failed')),
        error text,
        data jsonb not null default '{}',
        created_at timestamptz not null default now(),
        deadline timestamptz not null,
        finished_at timestamptz,
        check ((status = 'failed') = (error is not null)),
        check ((status = 'waiting') = (finished_at is null))
      )`);
    this.addSql(`create index agent_job_waiting on agent_job (node_id, created_at) where status = 'waiting'`);
    this.addSql(`create index agent_job_job on agent_job (job_id)`);
    this.addSql(`create index agent_job_finished_at on agent_job (finished_at) where finished_at is not null`);

    this.addSql(`
      create function announce_agent_job() returns trigger language plpgsql as $$
        begin
          perform announce(case when new.status = 'waiting' then 'agentJob' else 'agentResult' end, new.node_id);
          return null;
        end
      $$`);
    this.addSql(
      `create trigger agent_job_made after insert on agent_job for each row execute function announce_agent_job()`,
    );
    this.addSql(`
      create trigger agent_job_ended after update of status on agent_job for each row
        when (old.status is distinct from new.status) execute function announce_agent_job()`);
  }

  override down(): void {
    this.addSql(`drop table agent_job`);
    this.addSql(`drop function announce_agent_job`);
  }
}
