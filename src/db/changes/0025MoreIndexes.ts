// Schema change 25: the history of addresses and the templates among the guests are listed by index, and what refers to a host, a node or a user that goes is found by one.
import { Migration } from "@mikro-orm/migrations";

export class Change0025MoreIndexes extends Migration {
  override up(): void {
    this.addSql(`create index ip_address_holding_since on ip_address_holding (since desc, id desc)`);
    this.addSql(`create index ip_address_holding_host on ip_address_holding (host_id, since desc, id desc)`);
    this.addSql(`create index guest_template on guest (host_id, vmid, id) where template and gone_at is null`);
    this.addSql(`create index guest_place on guest (host_id, node_id)`);
    this.addSql(`create index job_created_by_user on job (created_by_user) where created_by_user is not null`);
  }

  override down(): void {
    this.addSql(
      `drop index job_created_by_user, guest_place, guest_template, ip_address_holding_host, ip_address_holding_since`,
    );
  }
}
