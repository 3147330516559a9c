// Schema change 31: the port forwards that an agent could not apply are found by index: they are ordered again every minute.
import { Migration } from "@mikro-orm/migrations";

export class Change0031FailedForwards extends Migration {
  override up(): void {
    this.addSql(
      `create index agent_job_failed_forwards on agent_job (node_id) where kind = 'apply_port_forwards' and status = 'failed'`,
    );
  }

  override down(): void {
    this.addSql(`drop index agent_job_failed_forwards`);
  }
}
