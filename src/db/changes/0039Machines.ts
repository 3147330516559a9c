// Schema change 39: by which certificates the machines of a host are recognised, and which other host has the same ones.
import { Migration } from "@mikro-orm/migrations";

export class Change0039Machines extends Migration {
  override up(): void {
    this.addSql(`alter table node add column certificate text`);
    this.addSql(`create index node_certificate on node (certificate)`);
    this.addSql(`alter table host add column same_as_host_id integer references host (id) on delete set null`);
    this.addSql(`create index host_same_as_host on host (same_as_host_id)`);
    this.addSql(`alter table host add constraint host_same_as_another check (same_as_host_id <> id)`);
  }

  override down(): void {
    this.addSql(`alter table host drop column same_as_host_id`);
    this.addSql(`alter table node drop column certificate`);
  }
}
